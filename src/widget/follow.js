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
  #following = false;
  #atEnd = true;
  #lastTop = 0;
  #lastRoom = 0;

  /* onChange(atEnd): the end came into sight or left it. */
  constructor(scroller, content, onChange) {
    this.#scroller = scroller;
    this.#onChange = onChange;
    this.#observer = new ResizeObserver(() => this.#update());
    this.#observer.observe(content);
    this.#observer.observe(scroller);
    scroller.addEventListener('scroll', () => this.#onScroll(), { passive: true });
  }

  /* Follows from here; anchor stays in sight. The scroller must be its offsetParent. */
  from(anchor) {
    this.#anchor = anchor;
    this.#following = true;
    this.#update();
  }

  toEnd() {
    this.from(null);
  }

  /* Another content, to be read from its top. */
  release() {
    this.#following = false;
    this.#anchor = null;
  }

  get #room() {
    return this.#scroller.scrollHeight - this.#scroller.clientHeight;
  }

  #update() {
    if (this.#following) {
      const least = this.#anchor ? this.#anchor.offsetTop - MARGIN_PX : this.#room;

      this.#scroller.scrollTop = Math.min(this.#room, least);
    }
    this.#remember();
    this.#report();
  }

  #remember() {
    this.#lastTop = this.#scroller.scrollTop;
    this.#lastRoom = this.#room;
  }

  /* A reader moves through content that stays; when it shrinks, the browser does the moving. */
  #onScroll() {
    const moved = this.#scroller.scrollTop - this.#lastTop;

    if (Math.abs(moved) > 1 && this.#room >= this.#lastRoom) {
      this.#following = moved > 0 && this.#room - this.#scroller.scrollTop < NEAR_END_PX;
      if (this.#following)
        this.#anchor = null;
    }
    this.#remember();
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
