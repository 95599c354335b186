// The order of children in the CDA R2 schema (with SDTC's extensions), for every class that these documents use.

const ROLE_LINKS = "subject specimen performer author informant participant entryRelationship reference precondition";

/** Children by the name of their parent; parents that are missing here have no fixed order. */
const ORDER: Readonly<Record<string, string>> = {
  ClinicalDocument:
    "realmCode typeId templateId id code title effectiveTime confidentialityCode languageCode setId versionNumber copyTime " +
    "recordTarget author dataEnterer informant custodian informationRecipient legalAuthenticator authenticator participant " +
    "inFulfillmentOf documentationOf relatedDocument authorization componentOf component",
  patientRole: "templateId id addr telecom patient providerOrganization",
  patient:
    "id name administrativeGenderCode birthTime sdtc:deceasedInd sdtc:deceasedTime maritalStatusCode religiousAffiliationCode " +
    "raceCode sdtc:raceCode ethnicGroupCode sdtc:ethnicGroupCode guardian birthplace languageCommunication",
  addr: "streetAddressLine city state postalCode country",
  name: "prefix given family suffix",
  author: "templateId functionCode time assignedAuthor",
  assignedAuthor: "templateId id code addr telecom assignedPerson assignedAuthoringDevice representedOrganization",
  assignedEntity: "templateId id code addr telecom assignedPerson representedOrganization",
  providerOrganization: "templateId id name telecom addr",
  representedOrganization: "templateId id name telecom addr",
  representedCustodianOrganization: "templateId id name telecom addr",
  manufacturerOrganization: "templateId id name telecom addr",
  intendedRecipient: "templateId id addr telecom informationRecipient receivedOrganization",
  serviceEvent: "templateId id code effectiveTime performer",
  encompassingEncounter:
    "id code effectiveTime dischargeDispositionCode responsibleParty encounterParticipant location",
  performer: "templateId functionCode time modeCode assignedEntity",
  section: "templateId id code title text confidentialityCode languageCode subject author informant entry component",
  act: `templateId id code text statusCode effectiveTime priorityCode languageCode ${ROLE_LINKS}`,
  observation:
    "templateId id code derivationExpr text statusCode effectiveTime priorityCode repeatNumber languageCode value " +
    "interpretationCode methodCode targetSiteCode subject specimen performer author informant participant entryRelationship " +
    "reference precondition referenceRange",
  organizer:
    "templateId id code statusCode effectiveTime subject specimen performer author informant participant reference precondition component",
  encounter: `templateId id code text statusCode effectiveTime priorityCode ${ROLE_LINKS}`,
  substanceAdministration:
    "templateId id code text statusCode effectiveTime priorityCode repeatNumber routeCode approachSiteCode doseQuantity rateQuantity " +
    "maxDoseQuantity administrationUnitCode subject specimen consumable performer author informant participant entryRelationship",
  entryRelationship: "sequenceNumber seperatableInd act encounter observation organizer substanceAdministration supply",
  participant: "templateId functionCode time awarenessCode participantRole",
  participantRole: "templateId id code addr telecom playingDevice playingEntity scopingEntity",
  playingEntity: "code quantity name desc sdtc:birthTime",
  manufacturedProduct: "templateId id manufacturedLabeledDrug manufacturedMaterial manufacturerOrganization",
  manufacturedMaterial: "code name lotNumberText",
  code: "originalText qualifier translation",
  value: "originalText qualifier low center width high translation",
  effectiveTime: "low center width high",
  observationRange: "code text value interpretationCode",
  languageCommunication: "languageCode modeCode proficiencyLevelCode preferenceInd",
  relatedSubject: "code addr telecom subject",
  table: "caption col colgroup thead tfoot tbody",
};

interface Element {
  name: string;
  parent: string;
  children: readonly string[];
}

/** Lists children that are out of order, or that the schema does not have. */
export function outOfOrder(elements: readonly Element[]): string[] {
  return elements.flatMap(({ name, parent, children }) => {
    // A participant of an entry does not have its own class in the schema.
    const order = name === "value" && parent === "observationRange" ? ["low", "high"] : ORDER[name]?.split(" ");
    if (!order) return [];
    const places = children.map((child) => order.indexOf(child));
    const unknown = children.filter((_child, at) => places[at] === -1).map((child) => `${parent}/${name} has ${child}`);
    const late = children.filter((_child, at) => at > 0 && (places[at] as number) < (places[at - 1] as number));
    return [...unknown, ...late.map((child) => `${parent}/${name}: ${child} comes too late`)];
  });
}
