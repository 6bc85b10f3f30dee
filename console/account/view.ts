/** A page: its heading, and what is below. */
export interface View {
  readonly title: string;
  readonly content: readonly Node[];
}

/** The paths below `/account/`. */
export type PageName = '' | 'set-password' | 'forgot-password' | 'change-password' | 'sessions';

/** A text above a page. */
export type Notice = string | { readonly error: string };

export interface Navigation {
  /** Shows a page with a notice above it. */
  go(page: PageName, notice?: Notice): void;
  /** Shows the present page again. */
  refresh(notice?: Notice): void;
  link(page: PageName, text: string): HTMLElement;
}
