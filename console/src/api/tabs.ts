/** What the tabs of one browser tell each other of the session, which they share. */
type News = 'signed-in' | 'signed-out';

const channel = new BroadcastChannel('anagrafe-console');

/** For all tabs but this one. */
export function tellTabs(news: News): void {
  channel.postMessage(news);
}

/** Gives the way to stop. */
export function hearTabs(listen: (news: News) => void): () => void {
  const hear = ({ data }: MessageEvent<News>) => listen(data);
  channel.addEventListener('message', hear);
  return () => channel.removeEventListener('message', hear);
}
