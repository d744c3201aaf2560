interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

const USER = 'user:';

/** Who has made an invitation, by name where that is known; `createdBy` is `user:ID`, or names what else has made it. */
export function inviterName(createdBy: string, people: readonly Person[], me: { id: string; you: string }): string {
  if (!createdBy.startsWith(USER)) return createdBy;
  const id = createdBy.slice(USER.length);
  if (id === me.id) return me.you;
  const person = people.find((one) => one.id === id);
  return person === undefined ? id : person.name || person.email;
}
