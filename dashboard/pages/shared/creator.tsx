import { useCallback } from 'react';
import { useSession } from '../../shell/session.tsx';
import { creatorText } from '../../text/creator.ts';
import { useText } from '../../text/text.tsx';

export interface Creator {
  readonly type: string;
  readonly id: string | null;
  readonly name: string | null;
}

/** Returns a function that names who created an object; the id is the title of `CreatorName`. */
export function useCreatorName(): (creator: Creator | null) => string {
  const text = useText(creatorText);
  const { me } = useSession();
  return useCallback(
    (creator) => {
      if (creator === null) return text.unknown;
      const { type, id, name } = creator;
      if (type === 'user') return id === me.id ? text.you : (name ?? text.formerUser);
      if (type === 'token') return text.token(name ?? '');
      return text.others[type] ?? type;
    },
    [text, me.id],
  );
}

/** Who created an object. */
export function CreatorName({ creator }: { readonly creator: Creator | null }) {
  const nameOf = useCreatorName();
  return creator === null ? (
    <span className="text-soft">{nameOf(null)}</span>
  ) : (
    <span {...(creator.id !== null && { title: creator.id })}>{nameOf(creator)}</span>
  );
}
