// Medications of the demo, with real substances, forms and strengths, and fictional brands, labelers and numbers. They
// are the same on every machine.
import { Dice } from "./people";

/** Substance | route | form | strengths. `!` marks controlled substances. */
const SUBSTANCES = `
acetaminophen|oral|tablet|325 mg,500 mg,650 mg
acyclovir|oral|tablet|400 mg,800 mg
albuterol|inhalation|aerosol inhaler|90 mcg/actuation
alendronate|oral|tablet|5 mg,10 mg,35 mg,70 mg
allopurinol|oral|tablet|100 mg,300 mg
alprazolam!|oral|tablet|0.25 mg,0.5 mg,1 mg,2 mg
amitriptyline|oral|tablet|10 mg,25 mg,50 mg,75 mg,100 mg
amlodipine|oral|tablet|2.5 mg,5 mg,10 mg
amoxicillin|oral|capsule|250 mg,500 mg
amoxicillin|oral|powder for suspension|125 mg/5 mL,200 mg/5 mL,250 mg/5 mL,400 mg/5 mL
amoxicillin-clavulanate|oral|tablet|250 mg-125 mg,500 mg-125 mg,875 mg-125 mg
apixaban|oral|tablet|2.5 mg,5 mg
aripiprazole|oral|tablet|2 mg,5 mg,10 mg,15 mg,20 mg,30 mg
atenolol|oral|tablet|25 mg,50 mg,100 mg
atomoxetine|oral|capsule|10 mg,18 mg,25 mg,40 mg,60 mg
atorvastatin|oral|tablet|10 mg,20 mg,40 mg,80 mg
azithromycin|oral|tablet|250 mg,500 mg,600 mg
azithromycin|oral|powder for suspension|100 mg/5 mL,200 mg/5 mL
baclofen|oral|tablet|5 mg,10 mg,20 mg
benazepril|oral|tablet|5 mg,10 mg,20 mg,40 mg
bisoprolol|oral|tablet|5 mg,10 mg
budesonide|inhalation|suspension|0.25 mg/2 mL,0.5 mg/2 mL,1 mg/2 mL
bumetanide|oral|tablet|0.5 mg,1 mg,2 mg
buprenorphine-naloxone!|sublingual|film|2 mg-0.5 mg,4 mg-1 mg,8 mg-2 mg
bupropion|oral|extended release tablet|100 mg,150 mg,200 mg,300 mg
buspirone|oral|tablet|5 mg,7.5 mg,10 mg,15 mg,30 mg
candesartan|oral|tablet|4 mg,8 mg,16 mg,32 mg
carbamazepine|oral|extended release tablet|100 mg,200 mg,400 mg
carvedilol|oral|tablet|3.125 mg,6.25 mg,12.5 mg,25 mg
cefdinir|oral|powder for suspension|125 mg/5 mL,250 mg/5 mL
celecoxib|oral|capsule|50 mg,100 mg,200 mg,400 mg
cephalexin|oral|capsule|250 mg,500 mg,750 mg
cetirizine|oral|tablet|5 mg,10 mg
chlorthalidone|oral|tablet|25 mg,50 mg
ciprofloxacin|oral|tablet|250 mg,500 mg,750 mg
citalopram|oral|tablet|10 mg,20 mg,40 mg
clindamycin|oral|capsule|75 mg,150 mg,300 mg
clobetasol|topical|cream|0.05%
clonazepam!|oral|tablet|0.5 mg,1 mg,2 mg
clonidine|oral|tablet|0.1 mg,0.2 mg,0.3 mg
clopidogrel|oral|tablet|75 mg,300 mg
cyclobenzaprine|oral|tablet|5 mg,7.5 mg,10 mg
desvenlafaxine|oral|extended release tablet|25 mg,50 mg,100 mg
dexmethylphenidate!|oral|extended release capsule|5 mg,10 mg,15 mg,20 mg,30 mg
diazepam!|oral|tablet|2 mg,5 mg,10 mg
diclofenac|topical|gel|1%,3%
diltiazem|oral|extended release capsule|120 mg,180 mg,240 mg,300 mg,360 mg
divalproex|oral|delayed release tablet|125 mg,250 mg,500 mg
donepezil|oral|tablet|5 mg,10 mg,23 mg
doxazosin|oral|tablet|1 mg,2 mg,4 mg,8 mg
doxycycline|oral|capsule|50 mg,100 mg
duloxetine|oral|delayed release capsule|20 mg,30 mg,60 mg
empagliflozin|oral|tablet|10 mg,25 mg
enalapril|oral|tablet|2.5 mg,5 mg,10 mg,20 mg
escitalopram|oral|tablet|5 mg,10 mg,20 mg
esomeprazole|oral|delayed release capsule|20 mg,40 mg
estradiol|oral|tablet|0.5 mg,1 mg,2 mg
eszopiclone!|oral|tablet|1 mg,2 mg,3 mg
ezetimibe|oral|tablet|10 mg
famotidine|oral|tablet|10 mg,20 mg,40 mg
fenofibrate|oral|tablet|48 mg,54 mg,145 mg,160 mg
finasteride|oral|tablet|1 mg,5 mg
fluconazole|oral|tablet|50 mg,100 mg,150 mg,200 mg
fluoxetine|oral|capsule|10 mg,20 mg,40 mg
fluticasone|nasal|spray|50 mcg/actuation
furosemide|oral|tablet|20 mg,40 mg,80 mg
gabapentin|oral|capsule|100 mg,300 mg,400 mg
gabapentin|oral|tablet|600 mg,800 mg
glimepiride|oral|tablet|1 mg,2 mg,4 mg
glipizide|oral|tablet|2.5 mg,5 mg,10 mg
guanfacine|oral|extended release tablet|1 mg,2 mg,3 mg,4 mg
hydrochlorothiazide|oral|tablet|12.5 mg,25 mg,50 mg
hydrocodone-acetaminophen!|oral|tablet|5 mg-325 mg,7.5 mg-325 mg,10 mg-325 mg
hydrocortisone|topical|cream|1%,2.5%
hydroxychloroquine|oral|tablet|100 mg,200 mg,400 mg
hydroxyzine|oral|tablet|10 mg,25 mg,50 mg
ibuprofen|oral|tablet|200 mg,400 mg,600 mg,800 mg
insulin glargine|subcutaneous|pen injector|100 units/mL,300 units/mL
insulin lispro|subcutaneous|pen injector|100 units/mL,200 units/mL
irbesartan|oral|tablet|75 mg,150 mg,300 mg
isosorbide mononitrate|oral|extended release tablet|30 mg,60 mg,120 mg
ketoconazole|topical|shampoo|1%,2%
labetalol|oral|tablet|100 mg,200 mg,300 mg
lamotrigine|oral|tablet|25 mg,100 mg,150 mg,200 mg
lansoprazole|oral|delayed release capsule|15 mg,30 mg
latanoprost|ophthalmic|solution|0.005%
levetiracetam|oral|tablet|250 mg,500 mg,750 mg,1000 mg
levocetirizine|oral|tablet|5 mg
levofloxacin|oral|tablet|250 mg,500 mg,750 mg
levothyroxine|oral|tablet|25 mcg,50 mcg,75 mcg,88 mcg,100 mcg,112 mcg,125 mcg,137 mcg,150 mcg,175 mcg,200 mcg
lisdexamfetamine!|oral|capsule|20 mg,30 mg,40 mg,50 mg,60 mg,70 mg
lisinopril|oral|tablet|2.5 mg,5 mg,10 mg,20 mg,30 mg,40 mg
lisinopril-hydrochlorothiazide|oral|tablet|10 mg-12.5 mg,20 mg-12.5 mg,20 mg-25 mg
lithium carbonate|oral|capsule|150 mg,300 mg,600 mg
loratadine|oral|tablet|10 mg
lorazepam!|oral|tablet|0.5 mg,1 mg,2 mg
losartan|oral|tablet|25 mg,50 mg,100 mg
losartan-hydrochlorothiazide|oral|tablet|50 mg-12.5 mg,100 mg-12.5 mg,100 mg-25 mg
meloxicam|oral|tablet|7.5 mg,15 mg
metformin|oral|tablet|500 mg,850 mg,1000 mg
metformin|oral|extended release tablet|500 mg,750 mg,1000 mg
methocarbamol|oral|tablet|500 mg,750 mg
methotrexate|oral|tablet|2.5 mg
methylphenidate!|oral|extended release tablet|18 mg,27 mg,36 mg,54 mg
metoprolol succinate|oral|extended release tablet|25 mg,50 mg,100 mg,200 mg
metoprolol tartrate|oral|tablet|25 mg,50 mg,100 mg
metronidazole|oral|tablet|250 mg,500 mg
mirtazapine|oral|tablet|7.5 mg,15 mg,30 mg,45 mg
montelukast|oral|tablet|4 mg,5 mg,10 mg
mupirocin|topical|ointment|2%
nadolol|oral|tablet|20 mg,40 mg,80 mg
naproxen|oral|tablet|250 mg,375 mg,500 mg
nitrofurantoin|oral|capsule|25 mg,50 mg,100 mg
nitroglycerin|sublingual|tablet|0.3 mg,0.4 mg,0.6 mg
nortriptyline|oral|capsule|10 mg,25 mg,50 mg,75 mg
olanzapine|oral|tablet|2.5 mg,5 mg,7.5 mg,10 mg,15 mg,20 mg
olmesartan|oral|tablet|5 mg,20 mg,40 mg
omeprazole|oral|delayed release capsule|10 mg,20 mg,40 mg
ondansetron|oral|disintegrating tablet|4 mg,8 mg
oxcarbazepine|oral|tablet|150 mg,300 mg,600 mg
oxybutynin|oral|extended release tablet|5 mg,10 mg,15 mg
oxycodone!|oral|tablet|5 mg,10 mg,15 mg,20 mg,30 mg
pantoprazole|oral|delayed release tablet|20 mg,40 mg
paroxetine|oral|tablet|10 mg,20 mg,30 mg,40 mg
penicillin V potassium|oral|tablet|250 mg,500 mg
pioglitazone|oral|tablet|15 mg,30 mg,45 mg
potassium chloride|oral|extended release tablet|8 mEq,10 mEq,20 mEq
pravastatin|oral|tablet|10 mg,20 mg,40 mg,80 mg
prazosin|oral|capsule|1 mg,2 mg,5 mg
prednisone|oral|tablet|1 mg,2.5 mg,5 mg,10 mg,20 mg,50 mg
pregabalin!|oral|capsule|25 mg,50 mg,75 mg,100 mg,150 mg,200 mg,300 mg
propranolol|oral|tablet|10 mg,20 mg,40 mg,60 mg,80 mg
quetiapine|oral|tablet|25 mg,50 mg,100 mg,200 mg,300 mg,400 mg
ramipril|oral|capsule|1.25 mg,2.5 mg,5 mg,10 mg
risperidone|oral|tablet|0.25 mg,0.5 mg,1 mg,2 mg,3 mg,4 mg
rivaroxaban|oral|tablet|2.5 mg,10 mg,15 mg,20 mg
rosuvastatin|oral|tablet|5 mg,10 mg,20 mg,40 mg
semaglutide|subcutaneous|pen injector|0.25 mg/dose,0.5 mg/dose,1 mg/dose,2 mg/dose
sertraline|oral|tablet|25 mg,50 mg,100 mg
sildenafil|oral|tablet|20 mg,25 mg,50 mg,100 mg
simvastatin|oral|tablet|5 mg,10 mg,20 mg,40 mg,80 mg
sitagliptin|oral|tablet|25 mg,50 mg,100 mg
spironolactone|oral|tablet|25 mg,50 mg,100 mg
sulfamethoxazole-trimethoprim|oral|tablet|400 mg-80 mg,800 mg-160 mg
sumatriptan|oral|tablet|25 mg,50 mg,100 mg
tamsulosin|oral|capsule|0.4 mg
timolol|ophthalmic|solution|0.25%,0.5%
tizanidine|oral|tablet|2 mg,4 mg
topiramate|oral|tablet|25 mg,50 mg,100 mg,200 mg
tramadol!|oral|tablet|50 mg,100 mg
trazodone|oral|tablet|50 mg,100 mg,150 mg,300 mg
triamcinolone|topical|cream|0.025%,0.1%,0.5%
valacyclovir|oral|tablet|500 mg,1 g
valsartan|oral|tablet|40 mg,80 mg,160 mg,320 mg
venlafaxine|oral|extended release capsule|37.5 mg,75 mg,150 mg
verapamil|oral|extended release tablet|120 mg,180 mg,240 mg
warfarin|oral|tablet|1 mg,2 mg,2.5 mg,3 mg,4 mg,5 mg,6 mg,7.5 mg,10 mg
zolpidem!|oral|tablet|5 mg,10 mg`;

const LABELERS = 60;
const HOUSES = "Abernal Brightwell Corvane Dalemont Everholt Fairmoor Glenavon Harrowgate Inverlea Juniper".split(" ");
const KINDS = ["Laboratories", "Pharma", "Generics", "Therapeutics", "Packaging", "Health Sciences"];
const BEGINNINGS =
  "Ab Bel Cor Dal El Fen Gal Hy Il Jan Kel Lu Mer No Or Pra Quin Ry Sol Tev Ul Ver Wel Xa Yo Zan".split(" ");
const ENDINGS =
  "adrin alia avor ebra elix enta eron icel idra ilor inex ivane olan oquil orra ovia ubrin usta yline yrex".split(" ");
const TABLETS = ["30", "60", "90", "100", "500", "1000"];

/** The rows of labelers, reference medications and packaged medications. Each list refers to the ones before it. */
export interface Medications {
  labelers: { medispanid: string; name: string }[];
  references: Record<string, unknown>[];
  packages: Record<string, unknown>[];
}

/** Lists each strength as generic and under a made-up brand, each in two to four packages. */
export function inventMedications(): Medications {
  const dice = new Dice(5_400);
  const labelers = Array.from({ length: LABELERS }, (_, at) => ({
    medispanid: String(1_000 + 37 * at),
    name: `${HOUSES[at % HOUSES.length]} ${KINDS[Math.floor(at / HOUSES.length)]}`,
  }));
  const references: Medications["references"] = [];
  const packages: Medications["packages"] = [];
  for (const [row, line] of SUBSTANCES.trim().split("\n").entries()) {
    const [substance = "", route = "", form = "", strengths = ""] = line.split("|");
    const generic_name = substance.replace("!", "");
    const brand = `${BEGINNINGS[row % BEGINNINGS.length]}${ENDINGS[(row * 7 + Math.floor(row / 26)) % ENDINGS.length]}`;
    for (const strength of strengths.split(",")) {
      for (const brand_name of dice.roll() < 0.75 ? ["", brand] : [""]) {
        const rxcui = String(9_000_000 + references.length);
        const name = `${brand_name || generic_name} ${strength} ${route} ${form}`;
        const added = inventPackages(dice, { name, form, rxcui, from: packages.length, labelers });
        packages.push(...added);
        const ndcs = added.map(({ ndc }) => ndc);
        const active_ndcs = added.filter(({ is_active }) => is_active).map(({ ndc }) => ndc);
        references.push({
          external_id: rxcui,
          name,
          generic_name,
          brand_name,
          route,
          form,
          strength,
          rxnorm_cuis: [rxcui],
          ndcs,
          active_ndcs,
          is_controlled: substance.endsWith("!"),
          creation_type: "medispan",
          type: "prescription",
        });
      }
    }
  }
  return { labelers, references, packages };
}

function inventPackages(
  dice: Dice,
  of: { name: string; form: string; rxcui: string; from: number; labelers: Medications["labelers"] },
) {
  const { name, form, rxcui, from, labelers } = of;
  return Array.from({ length: dice.between(2, 4) }, (_, at) => {
    const number = from + at;
    const labeler = number % labelers.length;
    const ndc = `0${7_000 + labeler}-${String(1_000 + Math.floor(number / labelers.length))}-${String(10 * (at + 1) + 1)}`;
    const size = /tablet|capsule/.test(form) ? dice.pick(TABLETS) : "1";
    const is_active = dice.roll() < 0.92;
    return {
      ndc,
      name,
      is_active,
      upc: upcOf(ndc),
      medispanppid: String(50_000 + number),
      labeler_id: { medispanid: labelers[labeler]?.medispanid },
      reference_medication_id: { external_id: rxcui },
      packaging_name: size === "1" ? "Carton" : "Bottle",
      size_description: `${size} ${form}`,
      multi_source: "Y",
      has_outer_packaged_drug: false,
      is_clinic_pack: false,
      is_repackaged: dice.roll() < 0.05,
      obsolete_date: is_active ? null : "2022-06-30T00:00:00.000Z",
    };
  });
}

/** Returns the bar code of a drug code: 3, its ten digits, and a check digit. */
export function upcOf(ndc: string): string {
  const digits = `3${ndc.replaceAll("-", "").slice(1)}`;
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
