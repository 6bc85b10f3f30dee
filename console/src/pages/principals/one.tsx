import { Button, Skeleton } from '@mantine/core';
import { useState } from 'react';
import { usePrincipal } from '../../api/principals.ts';
import { useWords as useCommonWords } from '../../language/words.ts';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Page } from '../../parts/page.tsx';
import { nameOf } from '../../parts/principal-name.ts';
import { Details } from './details.tsx';
import { History } from './history.tsx';
import { Nobody } from './nobody.tsx';
import { Register } from './register.tsx';
import { SwitchPrincipal } from './switch-state.tsx';
import { Users } from './users.tsx';
import { useWords } from './words.ts';

/** `/console/principals/12`: what is known of a principal, its users, and what was done to it. */
export function One({ id }: { id: number }) {
  const words = useWords();
  const { table, loading } = useCommonWords();
  const { data: principal, error, refetch } = usePrincipal(id);
  const [act, setAct] = useState<'register' | 'state' | null>(null);
  const close = () => setAct(null);

  if (principal === null) return <Nobody />;
  if (!principal)
    return error ? (
      <Failure error={error} title={table.failed} onRetry={refetch} />
    ) : (
      <Skeleton height={160} role="status" aria-label={loading} />
    );
  const isActive = principal.State === 'active';
  const actions = (
    <>
      <Button
        variant="default"
        onClick={() => setAct('state')}
        {...(isActive && { c: 'var(--mantine-color-error)' })}
      >
        {words.turn[isActive ? 'disabled' : 'active'].action}
      </Button>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setAct('register')}>
        {words.register.title}
      </Button>
    </>
  );
  return (
    <Page title={nameOf(principal)} back={{ href: '/principals', name: words.all }} actions={actions}>
      <Details principal={principal} />
      <Users principal={principal} />
      <History principal={principal} />
      {act === 'register' && <Register principalId={id} onClose={close} />}
      {act === 'state' && <SwitchPrincipal principal={principal} onClose={close} />}
    </Page>
  );
}
