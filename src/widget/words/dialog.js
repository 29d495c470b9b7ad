/* What all parts say that lie over the conversation; loaded with each of them. */

export const words = {
  en: { close: 'Close' },
  de: { close: 'Schließen' },
  es: { close: 'Cerrar' },
};
