// The texts of the first page in some languages of models; English for all others.

const TEXTS = {
  en: {
    title: "What can a word mean?",
    about: "These senses were found in raw text, with no dictionary: a word in one sense has other words around it than in another.",
    search: "Search a word",
    words: "Words with more than one face",
    senses: (n) => `${n} ${n === 1 ? "sense" : "senses"}`,
    example: ["Around ", " stand words of one kind where it means ", ", and of another where it means ", "."],
    ways: [["Try your own text", "Paste a text and see which sense each word has, and why."],
      ["Map a domain", "The senses of many words, or of one and its neighbours, in one picture."],
      ["Browse all words", "The whole list, to filter and to download."]],
  },
  de: {
    title: "Was kann ein Wort bedeuten?",
    about: "Diese Bedeutungen wurden in bloßem Text gefunden, ohne Wörterbuch: In einer Bedeutung stehen andere Wörter um ein Wort als in einer anderen.",
    search: "Ein Wort suchen",
    words: "Wörter mit mehr als einem Gesicht",
    senses: (n) => `${n} ${n === 1 ? "Bedeutung" : "Bedeutungen"}`,
    example: ["Um ", " stehen Wörter der einen Art, wo es für ", " steht, und andere, wo es für ", " steht."],
    ways: [["Eigener Text", "Einen Text einfügen und sehen, welche Bedeutung jedes Wort hat, und warum."],
      ["Karte eines Gebiets", "Die Bedeutungen vieler Wörter, oder eines Wortes und seiner Nachbarn, in einem Bild."],
      ["Alle Wörter", "Die ganze Liste, zum Filtern und Herunterladen."]],
  },
  es: {
    title: "¿Qué puede significar una palabra?",
    about: "Estos sentidos se hallaron en texto sin más, sin diccionario: en un sentido, una palabra tiene a su alrededor otras palabras que en otro.",
    search: "Buscar una palabra",
    words: "Palabras con más de una cara",
    senses: (n) => `${n} ${n === 1 ? "sentido" : "sentidos"}`,
    example: ["Alrededor de ", " hay palabras de un tipo cuando se trata de ", ", y de otro cuando se trata de ", "."],
    ways: [["Un texto propio", "Pegue un texto y vea qué sentido tiene cada palabra, y por qué."],
      ["El mapa de un campo", "Los sentidos de muchas palabras, o de una y sus vecinas, en una imagen."],
      ["Todas las palabras", "La lista completa, para filtrar y descargar."]],
  },
  fr: {
    title: "Que peut vouloir dire un mot ?",
    about: "Ces sens ont été trouvés dans du texte brut, sans dictionnaire : dans un sens, un mot est entouré d’autres mots que dans un autre.",
    search: "Chercher un mot",
    words: "Des mots à plusieurs visages",
    senses: (n) => `${n} sens`,
    example: ["Autour de ", " se trouvent des mots d’une sorte quand il s’agit de ", ", et d’une autre quand il s’agit de ", "."],
    ways: [["Votre propre texte", "Collez un texte et voyez quel sens a chaque mot, et pourquoi."],
      ["La carte d’un domaine", "Les sens de beaucoup de mots, ou d’un mot et de ses voisins, en une image."],
      ["Tous les mots", "La liste entière, à filtrer et à télécharger."]],
  },
};

/** {lang, texts}: those of a model's language, "de" or "de-AT", or of English. */
export function startTexts(language) {
  const short = (language || "").split("-")[0].toLowerCase();
  const lang = Object.hasOwn(TEXTS, short) ? short : "en";
  return { lang, texts: TEXTS[lang] };
}
