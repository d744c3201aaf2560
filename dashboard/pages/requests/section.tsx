import type { ReactNode } from 'react';

interface SectionProps {
  readonly title: string;
  readonly about?: string;
  readonly children: ReactNode;
}

/** A part of a request's details. */
export function Section({ title, about, children }: SectionProps) {
  return (
    <section className="min-w-0">
      <h3 className="font-semibold">{title}</h3>
      {about !== undefined && <p className="text-soft text-sm">{about}</p>}
      <div className="mt-2">{children}</div>
    </section>
  );
}
