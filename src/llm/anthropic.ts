/** Anthropic's `/v1/messages` (version 2023-06-01). */
import { postJson } from './http.js';
import { ModelError, type LanguageModel } from './model.js';
import { countOf } from './openai.js';

interface Message {
  content?: { type?: unknown; text?: unknown }[];
  usage?: { input_tokens?: unknown; output_tokens?: unknown };
}

/** @param url the base without `/v1`; the default is Anthropic's own */
export const openAnthropic = (url: string, model: string, key: string): LanguageModel => ({
  provider: 'anthropic',
  model,
  async ask(prompt, { maxTokens, signal }) {
    const headers = { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
    const body = { model, max_tokens: maxTokens, temperature: 0, messages: [{ role: 'user', content: prompt }] };
    const answer = (await postJson(`${url.replace(/\/+$/, '')}/v1/messages`, headers, body, signal)) as Message | null;
    const texts = (answer?.content ?? [])
      .filter((block) => block.type === 'text' && typeof block.text === 'string')
      .map((block) => block.text as string);
    if (texts.length === 0) throw new ModelError('failed', `the answer of ${model} holds no text`);
    return {
      text: texts.join('\n'),
      tokensIn: countOf(answer?.usage?.input_tokens),
      tokensOut: countOf(answer?.usage?.output_tokens),
    };
  },
});
