/** Why a webhook was disabled or a delivery failed. */
export const englishFailures = {
  manual: 'manually',
  client_revoked: 'the client was revoked',
  client_lost_admin: 'the client no longer has the scope admin',
  redirect: 'the receiver returned a redirect, which is not followed',
  httpStatus: (status: number) => `the receiver returned an error (${status})`,
  timeout: (seconds: number) => `no answer within ${seconds} seconds`,
  internal_address: 'the address is internal and not in ANAGRAFE_WEBHOOK_NETWORKS',
  plain_http: 'https is required outside ANAGRAFE_WEBHOOK_NETWORKS',
  event_expired: 'the event has been deleted after its retention period',
};

export const italianFailures: typeof englishFailures = {
  manual: 'manualmente',
  client_revoked: 'il client è stato revocato',
  client_lost_admin: 'il client non ha più il permesso admin',
  redirect: 'il destinatario ha risposto con un reindirizzamento, che non viene seguito',
  httpStatus: (status) => `il destinatario ha restituito un errore (${status})`,
  timeout: (seconds) => `nessuna risposta entro ${seconds} secondi`,
  internal_address: "l'indirizzo è interno e non è in ANAGRAFE_WEBHOOK_NETWORKS",
  plain_http: 'serve https fuori dalle reti di ANAGRAFE_WEBHOOK_NETWORKS',
  event_expired: "l'evento è stato eliminato al termine della conservazione",
};
