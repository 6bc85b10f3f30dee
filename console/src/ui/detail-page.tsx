import { Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCommonMessages } from '../i18n/language.tsx';
import classes from './detail-page.module.css';
import { Failure } from './loading-or-error.tsx';
import { Page, Surface } from './page.tsx';

export type Fact = readonly [name: string, value: ReactNode];

/** A description list: each value below its name. Null and false entries are left out. */
export function Facts({ facts }: { facts: readonly (Fact | null | false)[] }) {
  return (
    <div className={classes.facts}>
      <dl className={classes.grid}>
        {facts
          .filter((fact) => !!fact)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </div>
  );
}

interface DetailPageProps {
  readonly title: string;
  readonly back: { readonly href: string; readonly name: string };
  readonly actions?: ReactNode;
  readonly query: { readonly error: Error | null; readonly refetch: () => void };
  readonly factsTitle: string;
  /** Undefined while the object is loading. */
  readonly facts: readonly (Fact | null | false)[] | undefined;
  /** The number of facts to reserve space for while they are loading. */
  readonly expectedFacts: number;
  readonly notice?: ReactNode;
  /** The sections below the facts, and the open dialog. They are not rendered if the object could not be loaded. */
  readonly children?: ReactNode;
}

export function DetailPage(props: DetailPageProps) {
  const { query, factsTitle, facts, expectedFacts, notice, children, ...page } = props;
  const { table, loading } = useCommonMessages();
  return (
    <Page {...page}>
      {notice}
      {query.error && !facts ? (
        <Failure error={query.error} title={table.failed} onRetry={query.refetch} />
      ) : (
        <>
          <Surface title={factsTitle}>
            {facts ? <Facts facts={facts} /> : <FactsSkeleton count={expectedFacts} label={loading} />}
          </Surface>
          {children}
        </>
      )}
    </Page>
  );
}

function FactsSkeleton({ count, label }: { count: number; label: string }) {
  return (
    <div className={classes.facts} role="status" aria-label={label}>
      <div className={classes.grid}>
        {Array.from({ length: count }, (_, n) => `${n}`).map((key) => (
          <div key={key}>
            <Text size="xs">
              <Skeleton component="span" display="inline-block" height={10} width="40%" />
            </Text>
            <Text size="sm" mt={2}>
              <Skeleton component="span" display="inline-block" height={12} width="70%" />
            </Text>
          </div>
        ))}
      </div>
    </div>
  );
}
