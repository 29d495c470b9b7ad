/* Texts of the cards of cited passages; loaded with them. */

export const words = {
  en: { cited_passages: 'Cited passages', cited_passage: 'Passage {n} of {document}' },
  de: { cited_passages: 'Zitierte Stellen', cited_passage: 'Stelle {n} aus {document}' },
  es: { cited_passages: 'Pasajes citados', cited_passage: 'Pasaje {n} de {document}' },
};
