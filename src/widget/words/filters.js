/* Texts of the filter editor; loaded with it. */

export const words = {
  en: {
    ask_with_this: 'Ask again with this',
    ask_without: 'Ask again without it',
    known_values: 'Known values of {name}',
    choose_known: 'Please choose one of the known values.',
  },
  de: {
    ask_with_this: 'Damit noch einmal fragen',
    ask_without: 'Ohne dies noch einmal fragen',
    known_values: 'Bekannte Werte von {name}',
    choose_known: 'Bitte wählen Sie einen der bekannten Werte.',
  },
  es: {
    ask_with_this: 'Preguntar de nuevo con esto',
    ask_without: 'Preguntar de nuevo sin esto',
    known_values: 'Valores conocidos de {name}',
    choose_known: 'Elija uno de los valores conocidos.',
  },
};
