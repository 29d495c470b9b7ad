/* The element's styles as a constructable style sheet, which a policy without inline styles allows. */

import css from './styles.css';

export const styles = new CSSStyleSheet();

styles.replaceSync(css);
