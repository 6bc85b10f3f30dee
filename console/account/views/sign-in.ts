import { currentUser, signIn, signOut } from '../api.ts';
import { h } from '../dom.ts';
import { form } from '../form.ts';
import { t } from '../i18n/language.ts';
import type { Navigation, View } from '../view.ts';

/** The username of the last password that was set here. */
let known = '';

export function rememberUsername(username: string): void {
  known = username;
}

export function signInView({ refresh, link }: Navigation): View {
  const fields = [
    { name: 'Username', label: t('username'), autocomplete: 'username', value: known },
    { name: 'Password', label: t('password'), type: 'password', autocomplete: 'current-password' },
  ] as const;
  const content = form({
    fields,
    submit: t('signIn'),
    textOf: ({ code, message }) => (code === 'UNAUTHENTICATED' ? t('signInWrong') : message),
    async onSubmit({ Username = '', Password = '' }) {
      await signIn(Username, Password);
      known = Username;
      refresh();
    },
  });
  const links = h(
    'p',
    { class: 'links' },
    link('forgot-password', t('forgotten')),
    link('set-password', t('haveCode')),
  );
  return { title: t('signIn'), content: [content, links] };
}

export function accountView(navigation: Navigation): View {
  const { Username = '', Denomination = null } = currentUser() ?? {};
  const { link } = navigation;
  const name = Denomination === null ? Username : `${Username} (${Denomination})`;
  const choices = [link('change-password', t('change')), link('sessions', t('sessions'))];
  return {
    title: t('account'),
    content: [
      h('p', {}, t('signedInAs', { name })),
      h('ul', { class: 'choices' }, ...choices.map((choice) => h('li', {}, choice))),
      h('div', { class: 'actions' }, signOutButton(navigation)),
    ],
  };
}

export function signOutButton({ go }: Navigation): HTMLElement {
  const onclick = () => {
    void signOut();
    go('', t('signedOut'));
  };
  return h('button', { type: 'button', onclick }, t('signOut'));
}
