/**
 * Invented conversations of two people with questions about them, equal at every run, to measure
 * how often a search finds the right turn. A question uses other words than its turn. In a third of
 * the cases the turn is a short reply to the turn before.
 */
import type { PreparedEntry } from '../src/types.js';
import { makeEntry } from './made-store.js';

interface Turn {
  speaker: string;
  text: string;
}
export interface Conversation {
  name: string;
  entries: PreparedEntry[];
  questions: { q: string; id: string; kind: 'told' | 'reply' }[];
}

/** Statement, question and reply, and a later question about them; `{}` is the value. */
const TOPICS: { values: string; told: string; asks: string; reply: string; question: string }[] = [
  {
    values: 'the cello,the banjo,the harmonica,the accordion,the trumpet,the ukulele',
    told: 'I finally signed up for lessons, {} has been standing in a corner for far too long.',
    asks: 'You sound busy in the evenings, what keeps you up?',
    reply: 'Practising {}, my neighbours are very patient.',
    question: 'Which musical instrument does NAME play?',
  },
  {
    values: 'a greyhound,a parrot,two goldfish,a hedgehog,a kitten,a tortoise',
    told: 'The shelter called back, so since Saturday there is {} running the household.',
    asks: 'Is the flat still so quiet?',
    reply: 'Not any more, we brought home {} last week.',
    question: 'What pet did NAME get?',
  },
  {
    values: 'Lisbon,Tromsø,Kyoto,Montevideo,Tallinn,Palermo',
    told: 'Ten days off, a small suitcase and {}: I have never slept so well.',
    asks: 'Where did you disappear to in spring?',
    reply: '{}, and I would go back tomorrow.',
    question: 'Where did NAME go on holiday?',
  },
  {
    values: 'nursing,carpentry,beekeeping,law,pottery,marine biology',
    told: 'I handed in my notice. From autumn on I will be studying {} full time.',
    asks: 'And what comes after the office?',
    reply: 'School again, believe it or not: {}.',
    question: 'What new career is NAME training for?',
  },
  {
    values: 'peanuts,shellfish,wasps,penicillin,birch pollen,kiwis',
    told: 'I spent the night in the emergency room, my throat swelled up because of {}.',
    asks: 'Why do you carry that little pen around?',
    reply: 'The doctor insists, {} could kill me.',
    question: 'What is NAME allergic to?',
  },
  {
    values: 'lentil soup,apple strudel,dumplings,paella,rye bread,mushroom risotto',
    told: 'My grandmother taught me {} when I was nine, I still make it for every birthday.',
    asks: 'What should I ask you to bring on Sunday?',
    reply: '{}, nobody leaves any of it.',
    question: 'What dish is NAME known for cooking?',
  },
  {
    values:
      'a marathon,a half-ironman,a chess tournament,the rowing regatta,a spelling contest,a dance battle',
    told: 'All those early mornings paid off, I came third in {}!',
    asks: 'Why is there a medal on your shelf?',
    reply: 'That is from {}, I still cannot believe it.',
    question: 'In what competition did NAME win a prize?',
  },
  {
    values: 'Ottilie,Benedikt,Soraya,Kasimir,Philippa,Anselm',
    told: 'Born at four in the morning, seven pounds, and we call the little one {}.',
    asks: 'So have you two agreed at last?',
    reply: '{}, after her great-uncle.',
    question: 'What is the name of the baby of NAME?',
  },
  {
    values:
      'a leaking roof,termites,a burst pipe,mould in the cellar,broken heating,cracked windows',
    told: 'The landlord finally sent someone, {} had ruined half of my books.',
    asks: 'Why are you sleeping at your sister’s?',
    reply: 'Because of {}, they need two weeks.',
    question: 'What was wrong with the home of NAME?',
  },
  {
    values:
      'an old camper van,a cargo bike,a sailing dinghy,a motor scooter,a station wagon,an electric hatchback',
    told: 'I emptied my savings account and drove home in {}, well, nearly home.',
    asks: 'How do you get around these days?',
    reply: 'With {}, it has a name already.',
    question: 'What vehicle did NAME buy?',
  },
  {
    values: 'heights,deep water,spiders,thunderstorms,flying,crowded lifts',
    told: 'I froze completely up there, ever since I was a child {} make me shake.',
    asks: 'Why did you turn around at the entrance?',
    reply: 'It is silly, but {} and I are not friends.',
    question: 'What is NAME afraid of?',
  },
  {
    values:
      'the food bank,a hospice,the river clean-up,an animal sanctuary,a reading club for children,the fire brigade',
    told: 'Every second Thursday I help out at {}, it puts my own troubles into proportion.',
    asks: 'You are never in on Thursdays, are you?',
    reply: 'No, then I am with {}.',
    question: 'Where does NAME volunteer?',
  },
];

const FILLERS = [
  'Good to hear from you, how was the week?',
  'Honestly I am just glad that it is nearly the weekend.',
  'The weather here cannot make up its mind.',
  'I was thinking of you when that song came on the radio.',
  'We should really meet again before the year is over.',
  'Work was long, but nothing out of the ordinary.',
  'That is wonderful, I am so happy for you!',
  'Oh no, I am sorry, that sounds exhausting.',
  'Let me know if there is anything that I can do.',
  'I watched that series you mentioned, the ending was odd.',
  'My sister says hello, by the way.',
  'I have to run in a minute, the bus is early today.',
  'Did you get the photos that I sent?',
  'I keep telling myself to go to bed earlier, it never works.',
  'You always know how to make me laugh.',
  'The new bakery around the corner is surprisingly good.',
  'I tried to call yesterday but the line was busy.',
  'Take care of yourself, will you?',
];
const NAMES = [
  'Mara',
  'Jonas',
  'Adaeze',
  'Piotr',
  'Leila',
  'Henrik',
  'Noor',
  'Tomás',
  'Greta',
  'Kofi',
  'Yuki',
  'Ruben',
];

/** A small generator of numbers, so that the set is equal on every machine. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff;
}

/** Six conversations of 12 sessions each: about 290 turns and 24 questions in every one. */
export function makeConversations(): Conversation[] {
  return Array.from({ length: 6 }, (_, at) =>
    makeConversation(`talk${at}`, [NAMES[2 * at]!, NAMES[2 * at + 1]!], numbers(at + 1)),
  );
}

function makeConversation(
  name: string,
  speakers: readonly [string, string],
  random: () => number,
): Conversation {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const turns: (Turn & { session: number })[] = [];
  const questions: Conversation['questions'] = [];
  const facts = TOPICS.flatMap((topic) => speakers.map((speaker) => ({ topic, speaker }))).sort(
    () => random() - 0.5,
  );
  const say = (session: number, speaker: string, text: string) =>
    turns.push({ session, speaker, text }) - 1;
  facts.forEach(({ topic, speaker }, i) => {
    const session = i >> 1;
    const other = speakers.find((each) => each !== speaker)!;
    const isReply = random() < 1 / 3;
    for (let k = 0; k < 5; k++) say(session, speakers[k % 2]!, pick(FILLERS));
    const value = pick(topic.values.split(','));
    if (isReply) say(session, other, topic.asks);
    const turn = say(
      session,
      speaker,
      capital((isReply ? topic.reply : topic.told).replace('{}', value)),
    );
    for (let k = 0; k < 5; k++) say(session, k % 2 === 0 ? other : speaker, pick(FILLERS));
    questions.push({
      q: topic.question.replace('NAME', speaker),
      id: idOf(name, turn),
      kind: isReply ? 'reply' : 'told',
    });
  });
  return { name, entries: turns.map((turn, n) => entryOf(name, turn, n, speakers[0])), questions };
}

function capital(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}

function idOf(name: string, turn: number): string {
  return `${name}-${String(turn).padStart(4, '0')}`;
}

/**
 * An entry of a turn: one person is the user, the other the agent. The text begins with the
 * speaker, as in an exported chat.
 */
function entryOf(
  name: string,
  turn: Turn & { session: number },
  n: number,
  user: string,
): PreparedEntry {
  const text = `${turn.speaker}: ${turn.text}`;
  return {
    ...makeEntry(n, text),
    id: idOf(name, n),
    agent: 'inbox',
    session: `${name}-s${turn.session}`,
    time: `2026-11-${String(1 + (turn.session % 28)).padStart(2, '0')}T10:00:00.000Z`,
    role: turn.speaker === user ? 'user' : 'assistant',
    origin: turn.speaker === user ? 'user' : 'agent',
    path: `/${name}.jsonl`,
    line: n + 1,
  };
}
