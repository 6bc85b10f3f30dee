/** The effect of a call on a user. */
export type UserEffect = 'register' | 'edit' | 'move' | 'reset' | 'delete';

/** A user that a run has written; see `parseUndo`. It is named by its ID. */
export interface Undo {
  readonly operation: 'undo';
  readonly place: string;
  readonly id: number;
  readonly username: null;
  readonly effects: readonly UserEffect[];
  /** The principal that the run has moved the user to; null if the record is about the principal that the user has. */
  readonly movedTo: number | null;
}
