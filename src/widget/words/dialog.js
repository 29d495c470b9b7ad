/* Texts of all dialogs; loaded with each of them. */

export const words = {
  en: { close: 'Close' },
  de: { close: 'Schließen' },
  es: { close: 'Cerrar' },
};
