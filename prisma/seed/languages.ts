/** Languages by their English names. */
export const LANGUAGES: readonly string[] = (
  "Abkhazian,Acehnese,Acholi,Afar,Afrikaans,Akan,Albanian,American Sign Language,Amharic,Apache,Arabic,Aramaic,Armenian," +
  "Assamese,Aymara,Azerbaijani,Balinese,Baluchi,Bambara,Bashkir,Basque,Belarusian,Bengali,Bikol,Bislama,Bosnian,Breton," +
  "Bulgarian,Burmese,Cantonese,Cape Verdean Creole,Catalan,Cebuano,Chamorro,Chechen,Cherokee,Cheyenne,Chin,Choctaw,Chuukese," +
  "Cornish,Corsican,Cree,Creek,Croatian,Czech,Dakota,Danish,Dari,Dinka,Dutch,Dyula,Dzongkha,Efik,English,Esperanto,Estonian," +
  "Ewe,Fanti,Faroese,Fijian,Finnish,Fon,French,Frisian,Fulani,Ga,Galician,Garo,Georgian,German,Gilbertese,Gonja,Greek," +
  "Greenlandic,Guarani,Gujarati,Haitian Creole,Hakka,Hausa,Hawaiian,Hebrew,Hiligaynon,Hindi,Hmong,Hopi,Hungarian,Icelandic," +
  "Igbo,Ilocano,Indonesian,Inuktitut,Irish,Italian,Jamaican Creole,Japanese,Javanese,Kannada,Kanuri,Karen,Kashmiri,Kazakh," +
  "Keres,Khmer,Kikuyu,Kinyarwanda,Kirundi,Kongo,Konkani,Korean,Kosraean,Kurdish,Kyrgyz,Lakota,Lao,Latin,Latvian,Lingala," +
  "Lithuanian,Luganda,Luo,Luxembourgish,Macedonian,Malagasy,Malay,Malayalam,Maltese,Mam,Mandarin,Maninka,Maori,Marathi," +
  "Marshallese,Mien,Mixtec,Mohawk,Mongolian,Nahuatl,Navajo,Nepali,Norwegian,Nuer,Nyanja,Occitan,Odia,Ojibwe,Oromo,Palauan," +
  "Pashto,Persian,Pohnpeian,Polish,Portuguese,Punjabi,Quechua,Rohingya,Romani,Romanian,Russian,Samoan,Sango,Sanskrit,Serbian," +
  "Sesotho,Shona,Sindhi,Sinhala,Slovak,Slovenian,Somali,Soninke,Spanish,Sundanese,Swahili,Swedish,Tagalog,Tajik,Tamil,Tatar," +
  "Telugu,Thai,Tibetan,Tigrinya,Tongan,Turkish,Turkmen,Twi,Ukrainian,Urdu,Uyghur,Uzbek,Vietnamese,Welsh,Wolof,Xhosa," +
  "Yiddish,Yoruba,Zulu,Zuni"
).split(",");
