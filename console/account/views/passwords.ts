import { changePassword, currentUser, forgotPassword, Refusal, setPassword } from '../api.ts';
import { h } from '../dom.ts';
import { type Field, form } from '../form.ts';
import { t } from '../i18n/language.ts';
import type { Navigation, View } from '../view.ts';
import { rememberUsername, signOutButton } from './sign-in.ts';

const newPasswordFields = (): readonly Field[] => [
  {
    name: 'Password',
    label: t('newPassword'),
    type: 'password',
    autocomplete: 'new-password',
    hint: t('minLength', { min: document.body.dataset.minLength ?? '' }),
    checked: true,
  },
  { name: 'ConfirmPassword', label: t('confirmPassword'), type: 'password', autocomplete: 'new-password' },
];

/** Moves the code of a link from the address to the state of the page, where a reload finds it. */
export function takeCode(): void {
  const code = location.hash.slice(1);
  if (code === '') return;
  history.replaceState({ code }, '', location.pathname);
}

const codeOfLink = () => (history.state as { code?: string } | null)?.code;

export function setPasswordView({ go, refresh, link }: Navigation): View {
  const code = codeOfLink();
  const typed = { name: 'Code', label: t('code'), autocomplete: 'off', hint: t('codeHint') };
  const content = form({
    fields: [...(code === undefined ? [typed] : []), ...newPasswordFields()],
    submit: t('save'),
    async onSubmit({ Code = code ?? '', Password = '', ConfirmPassword = '' }) {
      try {
        rememberUsername(await setPassword({ Code, Password, ConfirmPassword }));
      } catch (error) {
        if (code === undefined || !(error instanceof Refusal) || error.code !== 'CODE_INVALID') throw error;
        // The user can type another code.
        history.replaceState(null, '');
        return refresh({ error: t('codeInvalid') });
      }
      history.replaceState(null, '');
      go('', t('passwordSet'));
    },
  });
  const links = h(
    'p',
    { class: 'links' },
    link('forgot-password', t('forgotten')),
    link('', t('backToSignIn')),
  );
  return { title: t('setPassword'), content: [content, links] };
}

export function forgotPasswordView({ link }: Navigation): View {
  const links = h('p', { class: 'links' }, link('', t('backToSignIn')), link('set-password', t('haveCode')));
  const sent = h('div', { role: 'status' });
  const asked = h(
    'div',
    {},
    h('p', {}, t('forgotHint')),
    form({
      fields: [{ name: 'Username', label: t('usernameOrEmail'), autocomplete: 'username' }],
      submit: t('send'),
      async onSubmit({ Username = '' }) {
        await forgotPassword(Username.trim());
        asked.remove();
        sent.append(h('h2', {}, t('sent')), h('p', {}, t('sentText')), h('p', {}, t('sentNothing')));
      },
    }),
  );
  return { title: t('forgot'), content: [sent, asked, links] };
}

export function changePasswordView(navigation: Navigation): View {
  const { Username = '', MustChangePassword: forced = false, entered } = currentUser() ?? {};
  const { go, link } = navigation;
  const current: Field = {
    name: 'CurrentPassword',
    label: t('currentPassword'),
    type: 'password',
    autocomplete: 'current-password',
  };
  const content = form({
    fields: [...(entered === undefined ? [current] : []), ...newPasswordFields()],
    submit: t('save'),
    username: Username,
    actions: forced ? [signOutButton(navigation)] : [],
    async onSubmit({ CurrentPassword = entered ?? '', Password = '', ConfirmPassword = '' }) {
      const signedIn = await changePassword({ CurrentPassword, Password, ConfirmPassword });
      go('', t(signedIn ? 'changed' : 'changedSignIn'));
    },
  });
  const hint = h('p', {}, t(forced ? 'forcedText' : 'changeHint'));
  const links = forced ? [] : [h('p', { class: 'links' }, link('', t('back')))];
  return { title: t(forced ? 'forced' : 'change'), content: [hint, content, ...links] };
}
