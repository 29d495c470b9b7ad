/* The turns of a conversation, oldest first, and what follows from their order. */

export class Turns {
  #turns = [];
  #page;
  #makeTurn;

  /* makeTurn(asked): a new TurnView */
  constructor(makeTurn) {
    this.#makeTurn = makeTurn;
  }

  /* The page that shows them. */
  set page(page) {
    this.#page = page;
  }

  get latest() {
    return this.#turns.at(-1);
  }

  get isEmpty() {
    return this.#turns.length === 0;
  }

  /* True if the server has acknowledged any of them. */
  get isKnown() {
    return this.#turns.some((turn) => turn.acknowledged);
  }

  of(turnId) {
    return this.#turns.find((turn) => turn.id === turnId);
  }

  /* asked: {question, clientId, filters}, if known. */
  add(asked) {
    const turn = this.#makeTurn(asked);

    this.#turns.push(turn);
    this.#page.add(turn.root);
    return turn;
  }

  remove(turn) {
    turn.dispose();
    turn.root.remove();
    this.#turns = this.#turns.filter((other) => other !== turn);
  }

  clear() {
    for (const turn of this.#turns)
      turn.dispose();
    this.#turns = [];
  }

  /* A new question closes open clarifying questions. */
  closeAsks() {
    for (const turn of this.#turns)
      turn.closeAsks();
  }

  closeReports() {
    for (const turn of this.#turns)
      turn.closeReports();
  }

  /* The question of a turn. A selection continues the last question before it. */
  questionOf(turn) {
    return turn.question ?? this.#turns.slice(0, this.#turns.indexOf(turn)).findLast((other) => other.question)?.question;
  }

  /* Stored messages, oldest first. lost: ids of turns whose frames the server no longer has. */
  restore(messages, lost) {
    for (const message of messages) {
      if (message.role === 'user')
        this.add({ question: message.content }).id = message.turn_id;
      else
        (this.latest?.running ? this.latest : this.add()).restore(message);
    }
    for (const turn of this.#turns) {
      if (turn !== this.latest)
        turn.closeAsks();
      if (turn.running && (turn !== this.latest || lost.has(turn.id)))
        turn.showEnding('interrupted');
    }
  }
}
