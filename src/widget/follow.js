/*
 * Keeps the end of the conversation in sight while it grows, but only for a reader who is there:
 * scrolling up lets go, scrolling back to the end takes hold again.
 */

const NEAR_END_PX = 64;

export class Follower {
  #scroller;
  #onChange;
  #observer;
  #following = true;
  #lastTop = 0;

  constructor(scroller, content, onChange) {
    this.#scroller = scroller;
    this.#onChange = onChange;
    this.#observer = new ResizeObserver(() => this.#following && this.#jump());
    this.#observer.observe(content);
    this.#observer.observe(scroller);
    scroller.addEventListener('scroll', () => this.#onScroll(), { passive: true });
  }

  toEnd() {
    this.#set(true);
    this.#jump();
  }

  #jump() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#lastTop = this.#scroller.scrollTop;
  }

  /* Growth moves the end away without moving the reader; only a move upward means "let go". */
  #onScroll() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;

    if (scrollHeight - scrollTop - clientHeight < NEAR_END_PX)
      this.#set(true);
    else if (scrollTop < this.#lastTop - 1)
      this.#set(false);
    this.#lastTop = scrollTop;
  }

  #set(following) {
    if (following === this.#following)
      return;
    this.#following = following;
    this.#onChange(following);
  }
}
