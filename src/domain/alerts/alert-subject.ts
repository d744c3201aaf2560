/** The subject of an alert. */
export interface AlertSubject {
  readonly kind: 'account' | 'key' | 'model' | 'channel';
  readonly id: string;
  /** The owner, or the account whose requests were counted; `null` if all were. */
  readonly accountId: string | null;
}

/** Returns a text that identifies the subject and that `subjectFrom` parses. */
export function subjectKey({ kind, accountId, id }: AlertSubject): string {
  return JSON.stringify([kind, accountId, id]);
}

export function subjectFrom(key: string): AlertSubject {
  const [kind, accountId, id] = JSON.parse(key) as [AlertSubject['kind'], string | null, string];
  return { kind, accountId, id };
}
