/** Masks a text that comes neither from a log nor through the log file: an error, a person's own words. */
import type { JobContext } from './job.js';

export const maskText = async ({ redactKey: key, config: { redact } }: Pick<JobContext, 'redactKey' | 'config'>, text: string): Promise<string> => {
  // The rules take a while to load, and most commands never need them.
  const { createRedactor } = await import('../redact/index.js');
  const [masked] = await createRedactor({ key, emails: redact.mask_emails, phones: redact.mask_phones, ibans: redact.mask_ibans }).redact([text]);
  return masked as string;
};
