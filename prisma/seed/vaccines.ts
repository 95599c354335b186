// Vaccines by CVX code, with their name and group from the CDC.

const CVX = `
3|MMR|MMR
8|Hep B, adolescent or pediatric|HepB
9|Td (adult), 2 Lf tetanus toxoid, preservative free, adsorbed|Td
10|IPV|POLIO
17|Hib, unspecified formulation|HIB
18|rabies, intramuscular injection|RABIES
19|BCG|BCG
20|DTaP|DTAP
21|varicella|VARICELLA
24|anthrax|ANTHRAX
25|typhoid, oral|TYPHOID
28|DT (pediatric)|DTAP
32|meningococcal MPSV4|MENING
33|pneumococcal polysaccharide PPV23|PneumoPPV
37|yellow fever|YELLOW FEVER
43|Hep B, adult|HepB
44|Hep B, dialysis|HepB
45|Hep B, unspecified formulation|HepB
48|Hib (PRP-T)|HIB
49|Hib (PRP-OMP)|HIB
50|DTaP-Hib|DTAP
51|Hib-Hep B|HIB
52|Hep A, adult|HepA
62|HPV, quadrivalent|HPV
75|vaccinia (smallpox)|SMALLPOX
83|Hep A, ped/adol, 2 dose|HepA
85|Hep A, unspecified formulation|HepA
88|influenza, unspecified formulation|FLU
89|polio, unspecified formulation|POLIO
94|MMRV|MMR
100|pneumococcal conjugate PCV 7|PneumoPCV
101|typhoid, ViCPs|TYPHOID
104|Hep A-Hep B|HepA
106|DTaP, 5 pertussis antigens|DTAP
107|DTaP, unspecified formulation|DTAP
108|meningococcal ACWY, unspecified formulation|MENING
109|pneumococcal, unspecified formulation|PneumoPCV
110|DTaP-Hep B-IPV|DTAP
111|influenza, live, intranasal|FLU
113|Td (adult), 5 Lf tetanus toxoid, preservative free, adsorbed|Td
114|meningococcal MCV4P|MENING
115|Tdap|Tdap
116|rotavirus, pentavalent|ROTAVIRUS
118|HPV, bivalent|HPV
119|rotavirus, monovalent|ROTAVIRUS
120|DTaP-Hib-IPV|DTAP
121|zoster live|ZOSTER
122|rotavirus, unspecified formulation|ROTAVIRUS
130|DTaP-IPV|DTAP
133|Pneumococcal conjugate PCV 13|PneumoPCV
134|Japanese Encephalitis IM|JEV
135|Influenza, high dose seasonal|FLU
136|Meningococcal MCV4O|MENING
137|HPV, unspecified formulation|HPV
139|Td(adult) unspecified formulation|Td
140|Influenza, seasonal, injectable, preservative free|FLU
141|Influenza, seasonal, injectable|FLU
146|DTaP,IPV,Hib,HepB|DTAP
149|influenza, live, intranasal, quadrivalent|FLU
150|influenza, injectable, quadrivalent, preservative free|FLU
155|influenza, recombinant, injectable, preservative free|FLU
158|influenza, injectable, quadrivalent|FLU
161|Influenza, injectable, quadrivalent, preservative free, pediatric|FLU
162|meningococcal B, recombinant|MeningB
163|meningococcal B, OMV|MeningB
165|HPV9|HPV
171|Influenza, injectable, MDCK, preservative free, quadrivalent|FLU
174|cholera, live attenuated|CHOLERA
185|influenza, recombinant, quadrivalent, injectable, preservative free|FLU
187|zoster recombinant|ZOSTER
189|HepB-CpG|HepB
197|influenza, high-dose seasonal, quadrivalent, preservative free|FLU
208|COVID-19, mRNA, LNP-S, PF, 30 mcg/0.3 mL dose|COVID-19
215|Pneumococcal conjugate PCV15|PneumoPCV
216|Pneumococcal conjugate PCV20|PneumoPCV`;

/** The rows of `vaccine`, which belong to every practice. */
export const VACCINES = CVX.trim()
  .split("\n")
  .map((line) => {
    const [cvx, name = "", cdc_type = ""] = line.split("|");
    return { cvx: Number(cvx), name, description: name, cdc_type, creation_type: "medispan" };
  });
