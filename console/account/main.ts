import { currentUser, signOut, whenSessionEnds } from './api.ts';
import { h } from './dom.ts';
import { chooseLanguage, type Language, language, languages, t } from './i18n/language.ts';
import type { Navigation, Notice, PageName, View } from './view.ts';
import { changePasswordView, forgotPasswordView, setPasswordView, takeCode } from './views/passwords.ts';
import { sessionsView } from './views/sessions.ts';
import { accountView, signInView } from './views/sign-in.ts';

/** The pages that need no sign-in. */
const open: Readonly<Partial<Record<string, (navigation: Navigation) => View>>> = {
  'set-password': setPasswordView,
  'forgot-password': forgotPasswordView,
};
const own: typeof open = { '': accountView, 'change-password': changePasswordView, sessions: sessionsView };

const place = document.getElementById('page') as HTMLElement;

const navigation: Navigation = {
  go(page, notice) {
    history.pushState(null, '', addressOf(page));
    show(notice);
  },
  refresh: show,
  link: (page, text) => {
    const onclick = (event: Event) => {
      const { ctrlKey, metaKey, shiftKey, button } = event as MouseEvent;
      if (ctrlKey || metaKey || shiftKey || button !== 0) return;
      event.preventDefault();
      navigation.go(page);
    };
    return h('a', { href: addressOf(page), onclick }, text);
  },
};

function addressOf(page: PageName): string {
  return `./${page}`;
}

function viewOf(): View {
  const page = location.pathname.slice(location.pathname.lastIndexOf('/') + 1);
  const user = currentUser();
  const view =
    open[page] ??
    (!user ? signInView : user.MustChangePassword ? changePasswordView : own[page]) ??
    accountView;
  return view(navigation);
}

function show(notice?: Notice): void {
  const { title, content } = viewOf();
  document.title = `${title} – ${document.body.dataset.name}`;
  const heading = h('h1', { tabindex: '-1' }, title);
  const isError = typeof notice === 'object';
  const text = isError ? notice.error : notice;
  const above = h(
    'p',
    { role: isError ? 'alert' : 'status', class: `notice ${isError ? 'error' : ''}` },
    text ?? '',
  );
  place.replaceChildren(heading, ...(text === undefined ? [] : [above]), ...content);
  heading.focus();
}

/** Shows the page in another language, and keeps what was typed. */
function switchTo(next: Language): void {
  const inputs = () => [...place.querySelectorAll<HTMLInputElement>('input[name]')];
  const typed = new Map(inputs().map(({ name, value }) => [name, value]));
  chooseLanguage(next);
  showLanguages();
  show();
  for (const input of inputs()) input.value = typed.get(input.name) ?? '';
}

function showLanguages(): void {
  const buttons = Object.entries(languages).map(([code, name]) =>
    h(
      'button',
      {
        type: 'button',
        lang: code,
        'aria-pressed': String(code === language()),
        onclick: () => switchTo(code as Language),
      },
      name,
    ),
  );
  document
    .getElementById('languages')
    ?.replaceChildren(h('div', { role: 'group', 'aria-label': t('language') }, ...buttons));
}

chooseLanguage(language());
whenSessionEnds(() => show({ error: t('sessionEnded') }));
addEventListener('popstate', () => show());
addEventListener('hashchange', () => {
  takeCode();
  show();
});
addEventListener('pagehide', ({ persisted }) => {
  if (!persisted) void signOut();
});
takeCode();
showLanguages();
show();
