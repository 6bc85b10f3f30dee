import { endSession, endSessions, listSessions, Refusal, type Session } from '../api.ts';
import { h } from '../dom.ts';
import { t, timeText } from '../i18n/language.ts';
import type { Navigation, View } from '../view.ts';

export function sessionsView(navigation: Navigation): View {
  const { go, refresh, link } = navigation;
  const list = h('ul', { class: 'sessions', 'aria-busy': 'true' }, h('li', {}, t('loading')));
  const more = h('p', {});
  /** Runs a call; a refusal is shown instead of the list. The end of the session is shown by the listener in `main.ts`. */
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      const text = error instanceof Refusal ? error.message : t('unexpected');
      list.replaceChildren(h('li', { role: 'alert', class: 'error' }, text));
    }
  };
  const endOne = (id: string) =>
    attempt(async () => {
      await endSession(id);
      refresh(t('sessionOver'));
    });
  const everywhere = () =>
    attempt(async () => {
      await endSessions();
      go('', t('everywhereDone'));
    });
  void attempt(async () => {
    const { sessions, totalCount } = await listSessions();
    list.removeAttribute('aria-busy');
    list.replaceChildren(...sessions.map((session) => sessionItem(session, endOne)));
    const count = totalCount - sessions.length;
    if (count > 0) more.textContent = t('moreSessions', { count });
  });
  return {
    title: t('sessions'),
    content: [
      h('p', {}, t('sessionsHint')),
      list,
      more,
      h('p', { id: 'everywhere' }, t('everywhereHint')),
      h(
        'div',
        { class: 'actions' },
        h(
          'button',
          { type: 'button', 'aria-describedby': 'everywhere', onclick: everywhere },
          t('everywhere'),
        ),
      ),
      h('p', { class: 'links' }, link('', t('back'))),
    ],
  };
}

function sessionItem(
  { ID, SignedInAt, RefreshedAt, Current }: Session,
  end: (id: string) => void,
): HTMLElement {
  const time = timeText(SignedInAt);
  const about = h(
    'div',
    {},
    Current && h('strong', {}, t('thisSession')),
    h('div', {}, t('signedInAt', { time })),
    h('div', { class: 'hint' }, t('lastUsed', { time: timeText(RefreshedAt) })),
  );
  const label = t('endSession', { time });
  const button = h('button', { type: 'button', 'aria-label': label, onclick: () => end(ID) }, t('end'));
  return h('li', {}, about, !Current && button);
}
