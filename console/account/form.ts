import { checkPassword, Refusal } from './api.ts';
import { h } from './dom.ts';
import { t } from './i18n/language.ts';

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'password';
  readonly autocomplete: string;
  readonly hint?: string;
  readonly value?: string;
  /** Shows while the user types whether the password is accepted. */
  readonly checked?: boolean;
}

type Values = Readonly<Record<string, string>>;

interface FormOptions {
  readonly fields: readonly Field[];
  readonly submit: string;
  /** The username, for password managers, where no field has it. */
  readonly username?: string;
  /** Elements beside the button that submits. */
  readonly actions?: readonly Node[];
  /** Returns the general text of a refusal; by default its message. */
  textOf?(refusal: Refusal): string;
  onSubmit(values: Values): Promise<void>;
}

/** Makes a form that reports the errors of its fields, and any other refusal above them. */
export function form({ fields, submit, username, actions = [], textOf, onSubmit }: FormOptions): HTMLElement {
  const alert = h('p', { role: 'alert', class: 'notice error' });
  alert.hidden = true;
  const parts = fields.map(fieldOf);
  const button = h('button', { type: 'submit', class: 'primary' }, submit);
  const showErrors = (errors: ReadonlyMap<string, string>) => {
    for (const { name, setError } of parts) setError(errors.get(name) ?? null);
    parts.find(({ name }) => errors.has(name))?.input.focus();
  };
  const submitted = async (event: Event) => {
    event.preventDefault();
    if (button.getAttribute('aria-busy') === 'true') return;
    alert.hidden = true;
    const values = Object.fromEntries(parts.map(({ name, input }) => [name, input.value]));
    const missing = new Map(
      parts.flatMap(({ name }) => (values[name] ? [] : [[name, t('required')] as const])),
    );
    showErrors(missing);
    if (missing.size > 0) return;
    if ('ConfirmPassword' in values && values.ConfirmPassword !== values.Password)
      return showErrors(new Map([['ConfirmPassword', t('PASSWORD_MISMATCH')]]));
    button.setAttribute('aria-busy', 'true');
    try {
      await onSubmit(values);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : new Refusal('', t('unexpected'));
      showErrors(refusal.fields);
      if (refusal.fields.size > 0) return;
      alert.textContent = textOf?.(refusal) ?? refusal.message;
      alert.hidden = false;
    } finally {
      button.removeAttribute('aria-busy');
    }
  };
  return h(
    'form',
    { method: 'post', novalidate: true, onsubmit: submitted },
    alert,
    username !== undefined &&
      h('input', { type: 'text', autocomplete: 'username', value: username, readonly: true, hidden: true }),
    ...parts.map(({ element }) => element),
    h('div', { class: 'actions' }, button, ...actions),
  );
}

function fieldOf({ name, label, type = 'text', autocomplete, hint = '', value, checked }: Field) {
  const about = h('p', { id: `${name}-hint`, class: 'hint', role: checked ? 'status' : undefined }, hint);
  const error = h('p', { id: `${name}-error`, class: 'field-error' });
  const input = h('input', {
    id: name,
    name,
    type,
    autocomplete,
    autocapitalize: 'none',
    spellcheck: 'false',
    required: true,
    value,
    'aria-describedby': `${name}-hint ${name}-error`,
  });
  const setError = (text: string | null) => {
    error.textContent = text;
    input.setAttribute('aria-invalid', String(text !== null));
  };
  const shown = h('div', { class: 'input' }, input, type === 'password' && showButton(input, label));
  if (checked)
    input.addEventListener(
      'input',
      answerWhileTyping(input, about, () => setError(null)),
    );
  return {
    name,
    input,
    setError,
    element: h('div', { class: 'field' }, h('label', { for: name }, label), shown, about, error),
  };
}

function showButton(input: HTMLInputElement, label: string): HTMLElement {
  const button = h(
    'button',
    {
      type: 'button',
      'aria-pressed': 'false',
      'aria-label': `${t('showPassword')}: ${label}`,
      onclick: () => {
        const isHidden = input.type === 'password';
        input.type = isHidden ? 'text' : 'password';
        button.setAttribute('aria-pressed', String(isHidden));
        button.textContent = t(isHidden ? 'hide' : 'show');
      },
    },
    t('show'),
  );
  return button;
}

/** Milliseconds without a key before the service checks the password. */
const pauseMs = 400;

/** Returns a listener that shows what the service says about the password, once the user pauses. */
function answerWhileTyping(input: HTMLInputElement, status: HTMLElement, clear: () => void): () => void {
  const min = Number(document.body.dataset.minLength);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = new AbortController();
  const show = (text: string, state = '') => {
    status.textContent = text;
    status.className = `hint ${state}`;
  };
  return () => {
    clear();
    clearTimeout(timer);
    running.abort();
    const count = min - [...input.value].length;
    if (count > 0) return show(t(count < min ? 'more' : 'minLength', { min, count }));
    timer = setTimeout(async () => {
      running = new AbortController();
      try {
        const errors = await checkPassword(input.value, running.signal);
        show(errors.get('Password') ?? t('accepted'), errors.size > 0 ? 'bad' : 'good');
      } catch {
        // The password is checked again when it is saved.
        if (!running.signal.aborted) show(t('minLength', { min }));
      }
    }, pauseMs);
  };
}
