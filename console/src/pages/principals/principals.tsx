import { useParams } from 'wouter';
import { List } from './list.tsx';
import { Nobody } from './nobody.tsx';
import { One } from './one.tsx';

/** `/console/principals`: all of them, or the one that the address names. */
export function Principals() {
  const { id } = useParams<{ id?: string }>();
  if (id === undefined) return <List />;
  return /^[1-9]\d{0,14}$/.test(id) ? <One id={Number(id)} /> : <Nobody />;
}
