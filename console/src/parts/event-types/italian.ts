import type { english } from './english.ts';

export const italian: typeof english = {
  'principal.inserted': 'Anagrafica inserita',
  'principal.state_changed': "Stato di un'anagrafica cambiato",
  'user.registered': 'Utente registrato',
  'user.password_reset': 'Password reimpostata',
  'user.state_changed': 'Stato di un utente cambiato',
  'call.completed': 'Chiamata completata',
  'job.completed': 'Lavoro completato',
  'webhook.disabled': 'Webhook disabilitato',
  'webhook.test': 'Messaggio di prova',
};
