interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

const USER = 'user:';

/** Returns the creator of an invitation, by name if known; `createdBy` is `user:ID`, or names another creator. */
export function inviterName(createdBy: string, people: readonly Person[], me: { id: string; you: string }): string {
  if (!createdBy.startsWith(USER)) return createdBy;
  const id = createdBy.slice(USER.length);
  if (id === me.id) return me.you;
  const person = people.find((one) => one.id === id);
  return person === undefined ? id : person.name || person.email;
}
