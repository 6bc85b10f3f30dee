/** The texts of a mail. `{name}` stands for a value. */
interface MailText {
  readonly subject: string;
  /** Also the label of the link. */
  readonly heading: string;
  readonly paragraphs: readonly string[];
  /** Follows the links and codes. */
  readonly notes: readonly string[];
}

export interface MailTexts {
  readonly invitation: MailText;
  readonly forgotten: MailText;
  readonly account: Readonly<Record<'username' | 'principal' | 'link' | 'code', string>>;
  readonly validity: (count: number, unit: 'hours' | 'days') => string;
}

export const englishMails: MailTexts = {
  invitation: {
    subject: '{product}: choose your password',
    heading: 'Choose your password',
    paragraphs: ['Hello {name},', 'You can now choose the password of your account at {product}.'],
    notes: [
      'The code is valid for {validity} and can be used once. If it no longer works, use “Forgot your password?” on the sign-in page to get a new one.',
      'If you did not expect this mail, you can ignore it.',
    ],
  },
  forgotten: {
    subject: '{product}: set a new password',
    heading: 'Set a new password',
    paragraphs: ['Hello {name},', 'Someone, probably you, reported a forgotten password at {product}.'],
    notes: [
      'The code is valid for {validity} and can be used once.',
      'If it was not you, ignore this mail: your password stays the same.',
    ],
  },
  account: {
    username: 'Username',
    principal: 'Company',
    link: 'Link',
    code: 'Code',
  },
  validity: (count, unit) => `${count} ${count === 1 ? unit.slice(0, -1) : unit}`,
};

export const italianMails: MailTexts = {
  invitation: {
    subject: '{product}: scegli la tua password',
    heading: 'Scegli la tua password',
    paragraphs: ['Ciao {name},', 'ora puoi scegliere la password del tuo account {product}.'],
    notes: [
      'Il codice vale {validity} e si può usare una sola volta. Se non funziona più, chiedine uno nuovo con “Password dimenticata?” nella pagina di accesso.',
      'Se non ti aspettavi questa email, puoi ignorarla.',
    ],
  },
  forgotten: {
    subject: '{product}: imposta una nuova password',
    heading: 'Imposta una nuova password',
    paragraphs: [
      'Ciao {name},',
      'qualcuno, probabilmente tu, ha segnalato una password dimenticata per {product}.',
    ],
    notes: [
      'Il codice vale {validity} e si può usare una sola volta.',
      'Se non sei stato tu, ignora questa email: la tua password resta la stessa.',
    ],
  },
  account: {
    username: 'Nome utente',
    principal: 'Azienda',
    link: 'Link',
    code: 'Codice',
  },
  validity: (count, unit) => {
    const units = { hours: ['ora', 'ore'], days: ['giorno', 'giorni'] };
    return `${count} ${units[unit][count === 1 ? 0 : 1]}`;
  },
};
