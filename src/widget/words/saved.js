/* Texts of saved results on the welcome screen; loaded with them. */

export const words = {
  en: {
    saved_reading: 'Reading',
    saved_read: 'Read on {time}',
    saved_shared: 'Shared with you, read on {time} with your own permissions',
    saved_remove: 'Remove {title}',
    saved_none: 'This result does not exist.',
    saved_failed: 'This result could not be read. Please reload the page.',
    saved_kept: 'This could not be removed. Please try again.',
  },
  de: {
    saved_reading: 'Wird gelesen',
    saved_read: 'Gelesen am {time}',
    saved_shared: 'Mit Ihnen geteilt, gelesen am {time} mit Ihren eigenen Berechtigungen',
    saved_remove: '{title} entfernen',
    saved_none: 'Dieses Ergebnis gibt es nicht.',
    saved_failed: 'Dieses Ergebnis konnte nicht gelesen werden. Bitte laden Sie die Seite neu.',
    saved_kept: 'Das konnte nicht entfernt werden. Bitte versuchen Sie es noch einmal.',
  },
  es: {
    saved_reading: 'Leyendo',
    saved_read: 'Leído el {time}',
    saved_shared: 'Compartido con usted, leído el {time} con sus propios permisos',
    saved_remove: 'Quitar {title}',
    saved_none: 'Este resultado no existe.',
    saved_failed: 'No se ha podido leer este resultado. Vuelva a cargar la página.',
    saved_kept: 'No se ha podido quitar. Inténtelo de nuevo.',
  },
};
