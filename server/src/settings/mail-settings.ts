import { isSender, isSmtpUrl, maskUrl } from './accepted-values.ts';
import { integer, list, oneOf, text } from './setting.ts';

/** The settings of mails, and of what users see of the product. */
export const mailSettings = {
  SMTP_URL: text({
    takes:
      'a URL such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com, with nothing after the port but ?starttls=off',
    about:
      'mail server. smtp:// requires STARTTLS, unless the URL ends with ?starttls=off, which is for a server on this machine; smtps:// uses TLS from the start',
    fallback: null,
    accepts: isSmtpUrl,
    mask: maskUrl,
  }),
  MAIL_FROM: text({
    takes: 'an email address, with or without a name, such as Anagrafe <no-reply@example.com>',
    about: 'sender of the mails; required with ANAGRAFE_SMTP_URL',
    fallback: null,
    accepts: isSender,
  }),
  MAIL_TEMPLATES: text({
    takes: 'a path',
    about: 'folder with files that replace the texts of the mails, such as invitation.en.txt',
    fallback: null,
  }),
  MAIL_LANGUAGE: oneOf(['en', 'it'], 'en', 'language of mails to users without a Language'),
  MAIL_WAITS: list(
    'whole numbers of seconds, separated by commas, such as 60,300,900',
    'waits before each retry of a mail that the mail server did not accept; the default retries for two days',
    (seconds) => /^\d{1,6}$/.test(seconds),
    { fallback: '60,300,900,1800,3600,7200,14400,28800,43200,43200,21600'.split(',') },
  ),
  MAIL_MAX_FAILED: integer(
    1,
    100,
    20,
    'share of the mails of a job, in percent, that may fail for good before the others are held back; 20 mails always may; 100 for no limit',
  ),
  BRAND_NAME: text({
    takes: 'a text of at most 60 characters',
    about: 'name that users see in mails and on the account pages',
    fallback: 'Anagrafe',
    accepts: (name) => name.length <= 60 && name.trim() !== '' && !/\p{Cc}/u.test(name),
  }),
  BRAND_COLOR: text({
    takes: 'a colour such as #1f5fbf',
    about: 'colour of the buttons in mails and on the account pages',
    fallback: '#1f5fbf',
    accepts: (color) => /^#[0-9a-f]{6}$/i.test(color),
  }),
  BRAND_LOGO: text({
    takes: 'a path',
    about: 'PNG or JPEG file of at most 100 kB that mails and the account pages show above the text',
    fallback: null,
  }),
};
