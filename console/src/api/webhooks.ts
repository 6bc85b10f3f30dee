import type { WebhookChange, WebhookWish } from '@anagrafe/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useAnagrafe } from './anagrafe.ts';
import { type Place, usePaged } from './paged.ts';
import { useLive } from './presence.ts';

const key = ['webhooks'];

/** All endpoints, disabled ones included, the newest first. */
export function useWebhooks() {
  const { admin } = useAnagrafe();
  return useQuery({
    queryKey: [...key, 'all'],
    queryFn: async ({ signal }) => (await admin.webhooks.list({ signal })).toReversed(),
    refetchInterval: useLive(10_000),
  });
}

/** What was told to an endpoint, the newest first, and the endpoint itself. */
export function useDeliveries(id: number, place: Place, failed: boolean) {
  const { admin } = useAnagrafe();
  return usePaged(
    [...key, id, failed],
    place,
    ({ page, pageSize }, signal) => admin.webhooks.deliveries(id, { pageSize, failed, signal }).page(page),
    useLive(3_000),
  );
}

/** A delivery in whole, asked for again until it has ended: often about the time of its next attempt, which may be hours away. */
export function useDelivery(id: number, delivery: string) {
  const { admin } = useAnagrafe();
  const often = useLive(1_000);
  const seldom = useLive(10_000);
  return useQuery({
    queryKey: [...key, id, 'delivery', delivery],
    queryFn: ({ signal }) => admin.webhooks.delivery(id, delivery, { signal }),
    refetchInterval({ state: { data } }) {
      if (!data?.NextAt) return false;
      return Math.abs(Date.parse(data.NextAt) - Date.now()) < 15_000 ? often : seldom;
    },
  });
}

export function useCreateWebhook() {
  const { admin } = useAnagrafe();
  return useWebhookMutation((wish: WebhookWish) => admin.webhooks.create(wish));
}

export function useChangeWebhook() {
  const { admin } = useAnagrafe();
  return useWebhookMutation(({ id, ...change }: WebhookChange & { readonly id: number }) =>
    admin.webhooks.change(id, change),
  );
}

export function useRemoveWebhook(id: number) {
  const { admin } = useAnagrafe();
  return useWebhookMutation(() => admin.webhooks.remove(id));
}

/** Sends one message to try an endpoint, which waits for its answer. */
export function useTestWebhook(id: number) {
  const { admin } = useAnagrafe();
  return useWebhookMutation(() => admin.webhooks.test(id));
}

export function useRotateWebhook(id: number) {
  const { admin } = useAnagrafe();
  return useWebhookMutation((Hours: number) => admin.webhooks.rotate(id, { Hours }));
}

/** Sends again one message, or all that were given up; says how many. */
export function useReplay(id: number) {
  const { admin } = useAnagrafe();
  return useWebhookMutation(async (delivery: string | null) => {
    if (delivery === null) return admin.webhooks.replayFailed(id);
    await admin.webhooks.replay(id, delivery);
    return 1;
  });
}

function useWebhookMutation<Wish, Result>(change: (wish: Wish) => Promise<Result>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => void queries.invalidateQueries({ queryKey: key }),
  });
}
