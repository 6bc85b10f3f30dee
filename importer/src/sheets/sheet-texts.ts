export type SheetLanguage = 'en' | 'it';

interface SheetTexts {
  /** The format of dates. */
  readonly locale: string;
  readonly title: string;
  readonly name: string;
  readonly company: string;
  readonly username: string;
  readonly scanOrOpen: string;
  /** If the service does not know its public URL. */
  readonly openUnknown: string;
  readonly enter: string;
  readonly enterUnlessScanned: string;
  readonly choose: string;
  readonly qrCode: string;
  readonly code: string;
  /** @param until HTML. */
  validUntil(until: string): string;
  readonly note: string;
}

/** The texts of a printed sheet. They are HTML. */
export const sheetTexts: Readonly<Record<SheetLanguage, SheetTexts>> = {
  en: {
    locale: 'en-GB',
    title: 'Choose your password',
    name: 'Name',
    company: 'Company',
    username: 'Username',
    scanOrOpen: 'Scan the QR code with your phone, or open this page:',
    openUnknown: 'Open the sign-in page and choose “I have a code”.',
    enter: 'Enter the code below.',
    enterUnlessScanned: 'If you did not scan the QR code, enter the code below.',
    choose: 'Choose a password that only you know. Then sign in with your username.',
    qrCode: 'QR code of the page where you choose your password',
    code: 'Your code',
    validUntil: (until) => `The code works once, until <strong>${until}</strong>.`,
    note: 'Keep this sheet to yourself: anyone who has it can choose your password. Destroy it afterwards. If the code does not work, ask the person who gave you this sheet for a new one.',
  },
  it: {
    locale: 'it-IT',
    title: 'Scegli la tua password',
    name: 'Nome',
    company: 'Azienda',
    username: 'Nome utente',
    scanOrOpen: 'Inquadra il codice QR con il telefono, oppure apri questa pagina:',
    openUnknown: 'Apri la pagina di accesso e scegli “Ho un codice”.',
    enter: 'Inserisci il codice qui sotto.',
    enterUnlessScanned: 'Se non hai usato il codice QR, inserisci il codice qui sotto.',
    choose: 'Scegli una password che conosci solo tu. Poi accedi con il tuo nome utente.',
    qrCode: 'Codice QR della pagina in cui scegliere la password',
    code: 'Il tuo codice',
    validUntil: (until) => `Il codice si può usare una sola volta, fino al <strong>${until}</strong>.`,
    note: 'Conserva questo foglio con cura: chi lo possiede può scegliere la tua password. Distruggilo dopo l’uso. Se il codice non funziona, chiedine uno nuovo a chi ti ha dato il foglio.',
  },
};
