import { Anchor } from '@mantine/core';
import { Link } from 'wouter';

interface PrincipalLinkProps {
  /** As it was sent. */
  readonly id: number | null;
  /** Why the record was not applied. */
  readonly code: string | null;
}

/** A principal by its ID, which leads to its page unless there is none. */
export function PrincipalLink({ id, code }: PrincipalLinkProps) {
  if (id === null || code === 'PRINCIPAL_NOT_FOUND') return id ?? '—';
  return (
    <Anchor component={Link} href={`/principals/${id}`} size="sm" underline="always">
      {id}
    </Anchor>
  );
}
