/*
 * Keeps a growing answer in sight, but only for a reader who is there, and never so far that the
 * question leaves the top: whoever begins to read must not have the text pulled away. Scrolling up
 * lets go; scrolling to the end follows it from then on.
 */

const NEAR_END_PX = 64;
const MARGIN_PX = 20;

export class Follower {
  #scroller;
  #onChange;
  #observer;
  #anchor = null;
  #following = true;
  #atEnd = true;
  #lastTop = 0;

  /* onChange(atEnd): the end came into sight or left it. */
  constructor(scroller, content, onChange) {
    this.#scroller = scroller;
    this.#onChange = onChange;
    this.#observer = new ResizeObserver(() => this.#update());
    this.#observer.observe(content);
    this.#observer.observe(scroller);
    scroller.addEventListener('scroll', () => this.#onScroll(), { passive: true });
  }

  /* Follows from here: anchor stays in sight at the top. */
  from(anchor) {
    this.#anchor = anchor;
    this.#following = true;
    this.#update();
  }

  toEnd() {
    this.from(null);
  }

  get #room() {
    return this.#scroller.scrollHeight - this.#scroller.clientHeight;
  }

  #update() {
    if (this.#following) {
      const least = this.#anchor ? this.#topOf(this.#anchor) - MARGIN_PX : this.#room;

      this.#scroller.scrollTop = Math.min(this.#room, least);
      this.#lastTop = this.#scroller.scrollTop;
    }
    this.#report();
  }

  #topOf(element) {
    return element.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top +
      this.#scroller.scrollTop;
  }

  /* Growth moves the end away without moving the reader; only a move upward means "let go". */
  #onScroll() {
    const { scrollTop } = this.#scroller;

    if (scrollTop < this.#lastTop - 1) {
      this.#following = false;
    } else if (scrollTop > this.#lastTop + 1 && this.#room - scrollTop < NEAR_END_PX) {
      this.#following = true;
      this.#anchor = null;
    } else if (scrollTop > this.#lastTop + 1) {
      this.#following = false;
    }
    this.#lastTop = scrollTop;
    this.#report();
  }

  #report() {
    const atEnd = this.#room - this.#scroller.scrollTop < NEAR_END_PX;

    if (atEnd === this.#atEnd)
      return;
    this.#atEnd = atEnd;
    this.#onChange(atEnd);
  }
}
