/* The element's look as one constructable style sheet: a policy without inline styles lets it through. */

import css from './styles.css';

export const styles = new CSSStyleSheet();

styles.replaceSync(css);
