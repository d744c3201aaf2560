import '../postgres/budgets.test.ts';
import '../postgres/ledger.test.ts';
import '../postgres/outcomes.test.ts';
