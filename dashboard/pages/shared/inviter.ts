interface Invited {
  /** `user:ID`, or another creator. */
  readonly created_by: string;
  readonly created_by_name: string | null;
}

const USER = 'user:';

/** Returns the creator of an invitation, by name if known. */
export function inviterName(
  { created_by: createdBy, created_by_name: name }: Invited,
  me: { readonly id: string; readonly you: string },
): string {
  if (createdBy === USER + me.id) return me.you;
  return name ?? (createdBy.startsWith(USER) ? createdBy.slice(USER.length) : createdBy);
}
