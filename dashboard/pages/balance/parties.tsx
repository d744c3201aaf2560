import type { BillingDetails, MonthStatement } from '../../api/schema.ts';
import { balanceText } from '../../text/balance.ts';
import { useText } from '../../text/text.tsx';

/** The seller and the customer, as an invoice shows them. */
export function Parties({ statement: { seller, customer } }: { readonly statement: MonthStatement }) {
  const text = useText(balanceText);
  return (
    <div className="grid gap-6 sm:grid-cols-2 print:grid-cols-2">
      {seller && <Party title={text.seller} name={seller.name} details={seller} />}
      <Party title={text.customer} name={customer.name ?? customer.account_name} details={customer} />
    </div>
  );
}

interface PartyProps {
  readonly title: string;
  readonly name: string | null;
  readonly details: BillingDetails;
}

function Party({ title, name, details }: PartyProps) {
  const text = useText(balanceText);
  const { address, tax_id: taxId, email } = details;
  const lines = [...address, ...(taxId === null ? [] : [text.taxId(taxId)]), ...(email === null ? [] : [email])];
  return (
    <section className="min-w-0 [overflow-wrap:anywhere]">
      <h2 className="text-soft text-sm">{title}</h2>
      <address className="whitespace-pre-line not-italic">
        {name !== null && <strong className="block font-semibold">{name}</strong>}
        {lines.join('\n')}
      </address>
    </section>
  );
}
