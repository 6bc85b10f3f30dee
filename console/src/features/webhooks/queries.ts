import type { CreateWebhook, WebhookChange } from '@anagrafe/client';
import { useQuery } from '@tanstack/react-query';
import { usePaged } from '../../ui/paging.tsx';
import { usePollInterval } from '../../ui/time.tsx';
import { useAnagrafe, useChange } from '../session/api-client.ts';

const key = ['webhooks'];

/** Reads all webhooks, including disabled ones, newest first. */
export function useWebhooks() {
  const { admin } = useAnagrafe();
  return useQuery({
    queryKey: [...key, 'all'],
    queryFn: async ({ signal }) => (await admin.webhooks.list({ signal })).toReversed(),
    refetchInterval: usePollInterval(10_000),
  });
}

/** Reads the deliveries of a webhook, newest first, and the webhook itself. */
export function useDeliveries(id: number, failed: boolean) {
  const { admin } = useAnagrafe();
  return usePaged(
    [...key, id, failed],
    ({ page, pageSize }, signal) => admin.webhooks.deliveries(id, { pageSize, failed, signal }).page(page),
    { refetchInterval: usePollInterval(3_000) },
  );
}

/** Reads a delivery and polls it while a next attempt is scheduled: every second near the attempt, else every 10 s. */
export function useDelivery(id: number, delivery: string) {
  const { admin } = useAnagrafe();
  const shortInterval = usePollInterval(1_000);
  const longInterval = usePollInterval(10_000);
  return useQuery({
    queryKey: [...key, id, 'delivery', delivery],
    queryFn: ({ signal }) => admin.webhooks.delivery(id, delivery, { signal }),
    refetchInterval({ state: { data } }) {
      if (!data?.NextAt) return false;
      return Math.abs(Date.parse(data.NextAt) - Date.now()) < 15_000 ? shortInterval : longInterval;
    },
  });
}

export function useCreateWebhook() {
  const { admin } = useAnagrafe();
  return useChange((webhook: CreateWebhook) => admin.webhooks.create(webhook), key);
}

export function useChangeWebhook() {
  const { admin } = useAnagrafe();
  return useChange(
    ({ id, ...change }: WebhookChange & { readonly id: number }) => admin.webhooks.change(id, change),
    key,
  );
}

export function useRemoveWebhook(id: number) {
  const { admin } = useAnagrafe();
  return useChange(() => admin.webhooks.remove(id), key);
}

/** Sends a test delivery. The mutation waits for the response of the receiver. */
export function useTestWebhook(id: number) {
  const { admin } = useAnagrafe();
  return useChange(() => admin.webhooks.test(id), key);
}

export function useRotateWebhook(id: number) {
  const { admin } = useAnagrafe();
  return useChange((Hours: number) => admin.webhooks.rotate(id, { Hours }), key);
}

/** Sends one delivery again, or all failed deliveries if the ID is null. The mutation returns their number. */
export function useReplay(id: number) {
  const { admin } = useAnagrafe();
  return useChange(async (delivery: string | null) => {
    if (delivery === null) return admin.webhooks.replayFailed(id);
    await admin.webhooks.replay(id, delivery);
    return 1;
  }, key);
}
