/* Texts of the steps of a plan; loaded with the module that draws components. */

export const words = {
  en: {
    step_completed: 'Done',
    step_failed: 'Failed',
    step_skipped: 'Skipped',
    step_after: 'after {steps}',
  },
  de: {
    step_completed: 'Erledigt',
    step_failed: 'Fehlgeschlagen',
    step_skipped: 'Ausgelassen',
    step_after: 'nach {steps}',
  },
  es: {
    step_completed: 'Hecho',
    step_failed: 'Falló',
    step_skipped: 'Omitido',
    step_after: 'después de {steps}',
  },
};
