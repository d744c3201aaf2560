/** What an alert is about. */
export interface AlertSubject {
  readonly kind: 'account' | 'key' | 'model' | 'channel';
  readonly id: string;
  /** Whose it is, or whose requests were counted; `null` where those of all were. */
  readonly accountId: string | null;
}

/** A text that is the same for the same subject, and that `subjectFrom` reads. */
export function subjectKey({ kind, accountId, id }: AlertSubject): string {
  return JSON.stringify([kind, accountId, id]);
}

export function subjectFrom(key: string): AlertSubject {
  const [kind, accountId, id] = JSON.parse(key) as [AlertSubject['kind'], string | null, string];
  return { kind, accountId, id };
}
