/*
 * Keeps a growing answer in view while the user is at its end. The question stays at the top at most, so
 * that text does not move while it is read. Scrolling up stops following; scrolling to the end resumes it.
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

  /* onChange(atEnd): the end became visible or hidden. */
  constructor(scroller, content, onChange) {
    this.#scroller = scroller;
    this.#onChange = onChange;
    this.#observer = new ResizeObserver(() => this.#update());
    this.#observer.observe(content);
    this.#observer.observe(scroller);
    scroller.addEventListener('scroll', () => this.#onScroll(), { passive: true });
  }

  /* Follows from here and keeps the anchor visible. The scroller must be its offsetParent. */
  from(anchor) {
    this.#anchor = anchor;
    this.#following = true;
    this.#update();
  }

  toEnd() {
    this.from(null);
  }

  /* Stops following: the content was replaced and is read from its top. */
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

  /* Ignores scrolling that the browser does when the content shrinks. */
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
