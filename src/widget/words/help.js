/* Texts of the help dialog; loaded with it. */

export const words = {
  en: {
    help_reading: 'Reading',
    help_failed: 'This could not be read. Please close it and try again.',
    help_english: 'Questions are read in English.',
    what_is_known: { one: '{n} thing that can be looked up', other: '{n} things that can be looked up' },
    glossary: 'Glossary',
    find_term: 'Find a term',
  },
  de: {
    help_reading: 'Wird gelesen',
    help_failed: 'Das konnte nicht gelesen werden. Bitte schließen Sie es und versuchen Sie es noch einmal.',
    help_english: 'Fragen werden auf Englisch gelesen.',
    what_is_known: { one: '{n} Sache, die nachgesehen werden kann', other: '{n} Dinge, die nachgesehen werden können' },
    glossary: 'Glossar',
    find_term: 'Begriff suchen',
  },
  es: {
    help_reading: 'Leyendo',
    help_failed: 'No se ha podido leer. Ciérrelo e inténtelo de nuevo.',
    help_english: 'Las preguntas se leen en inglés.',
    what_is_known: { one: '{n} cosa que se puede consultar', many: '{n} de cosas que se pueden consultar', other: '{n} cosas que se pueden consultar' },
    glossary: 'Glosario',
    find_term: 'Buscar un término',
  },
};
