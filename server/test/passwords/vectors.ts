/** The password of the hashes below without a named source, which Python computed: hashlib, crypt and cryptography. */
export const sentence = 'una frase lunga è già';

/** Test vectors: the format with its source, the password and its hash. */
export const vectors: [string, string, string][] = [
  [
    'argon2id, of the reference implementation',
    'password',
    '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  ],
  [
    'argon2i of version 16, of the reference implementation',
    'password',
    '$argon2i$v=16$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ',
  ],
  [
    'argon2i with four lanes, of Ory',
    'test',
    '$argon2i$v=19$m=65536,t=3,p=4$kk51rW/vxIVCYn+EG4kTSg$NyT88uraJ6im6dyha/M5jhXvpqlEdlS/9fEm7ScMb8c',
  ],
  [
    'argon2id',
    sentence,
    '$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$nGiWEGaqcEO0FY72f2x+02AASmtYKucar5tqWId2jMc',
  ],
  [
    'argon2i',
    sentence,
    '$argon2i$v=19$m=4096,t=3,p=1$AAECAwQFBgcICQoLDA0ODw$/RRefP+dDodx9hZU/jIj8nWu8CTpHwgEDvUo92yoLYo',
  ],
  [
    'argon2id with the shortest salt and the longest key',
    sentence,
    '$argon2id$v=19$m=8192,t=2,p=8$AAECAwQFBgc$N3/GQ0ZLgS2CYJVJc6wHtCtKKYV5ZCmAFzTqK0S7dMjPNbOFHwbTTvKdun+wIvmJlpPj3F2jP9ZHRwWfiAAf9g',
  ],
  ['bcrypt, of Openwall', 'U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['bcrypt of nothing, of Openwall', '', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy'],
  ['bcrypt, of Ory', 'test', '$2a$12$o6hx.Wog/wvFSkT/Bp/6DOxCtLRTDj7lm9on9suF/WaCGNVHbkfL6'],
  ['bcrypt 2a', sentence, '$2a$10$abcdefghijklmnopqrstuuGg0ZYbfBqAYrDzCsX.iVpi715r4vmVa'],
  ['bcrypt 2b', sentence, '$2b$10$abcdefghijklmnopqrstuuGg0ZYbfBqAYrDzCsX.iVpi715r4vmVa'],
  ['bcrypt 2y', sentence, '$2y$10$abcdefghijklmnopqrstuuGg0ZYbfBqAYrDzCsX.iVpi715r4vmVa'],
  [
    'PBKDF2-SHA256 in PHC form, of Ory',
    'test',
    '$pbkdf2-sha256$i=100000,l=32$1jP+5Zxpxgtee/iPxGgOz0RfE9/KJuDElP1ley4VxXc$QJxzfvdbHYBpydCbHoFg3GJEqMFULwskiuqiJctoYpI',
  ],
  [
    'PBKDF2-SHA512 in PHC form with half a digest, of Ory',
    'test',
    '$pbkdf2-sha512$i=100000,l=32$bdHBpn7OWOivJMVJypy2UqR0UnaD5prQXRZevj/05YU$+wArTfv1a+bNGO1iZrmEdVjhA+lL11wF4/IxpgYfPwc',
  ],
  [
    'PBKDF2-SHA512 in PHC form, of Azure IoT',
    'password',
    '$pbkdf2-sha512$i=100000,l=64$HqJwOCHweNk1pLryiu3RsA$KVSvxKYcibIG5S5n55RvxKRTdAAfCUtBJoy5IuFzdSZyzkwvUcU+FPawEWFPn+06JyZsndfRTfpiEh+2eSJLkg',
  ],
  [
    'PBKDF2-SHA1 in PHC form with two blocks',
    sentence,
    '$pbkdf2-sha1$i=10000,l=32$AAECAwQFBgcICQoLDA0ODw$ADPbtLBMvn+hsvqtbTXiMo4aM8a20sm8Qdz/6a0yIk4',
  ],
  [
    'PBKDF2-SHA1 in PHC form without its name',
    sentence,
    '$pbkdf2$i=10000$AAECAwQFBgcICQoLDA0ODw$ADPbtLBMvn+hsvqtbTXiMo4aM8Y',
  ],
  [
    'SHA-256 of passlib, of hashcat',
    'hashcat',
    '$pbkdf2-sha256$29000$x9h7j/Ge8x6DMEao1VqrdQ$kra3R1wEnY8mPdDWOpTqOTINaAmZvRMcYd8u5OBQP9A',
  ],
  [
    'SHA-512 of passlib, of hashcat',
    'hashcat',
    '$pbkdf2-sha512$25000$LyWE0HrP2RsjZCxlDGFMKQ$1vC5Ohk2mCS9b6akqsEfgeb4l74SF8XjH.SljXf3dMLHdlY1GK9ojcCKts6/asR4aPqBmk74nCDddU3tvSCJvw',
  ],
  [
    'SHA-1 of passlib, of hashcat',
    'hashcat',
    '$pbkdf2$131000$r5WythYixPgfQ2jt3buXcg$8Kdr.QQEOaZIXNOrrru36I/.6Po',
  ],
  [
    'SHA-256 of passlib, of its manual',
    'password',
    '$pbkdf2-sha256$6400$0ZrzXitFSGltTQnBWOsdAw$Y11AchqV4b0sUisdZd0Xr97KWoymNE0LNNrnEgY4H9M',
  ],
  [
    'SHA-256 of Django, of its own tests',
    'lètmein',
    'pbkdf2_sha256$20000$seasalt2$Flpve/uAcyo6+IFI6YAhjeABGPVbRQjzHDxRhqxewgw=',
  ],
  ['SHA-1 of Django, of its own tests', 'lètmein', 'pbkdf2_sha1$20000$seasalt2$pJt86NmjAweBY1StBvxCu7l1o9o='],
  [
    'SHA-256 of Django with 260,000 iterations',
    sentence,
    'pbkdf2_sha256$260000$q5XhR0tFZpLmVw8s2N7cYb$21aNe3Ec2s+on9OeL2zk97ahJhA09/Pi3GZ2bxFBoEs=',
  ],
  [
    'SHA-512 of Django',
    sentence,
    'pbkdf2_sha512$10000$NaClNaClNaCl$D8T3a5QVDg3/lGiZIS3heMgJHK81cnp+q0CuSL13rAOrCvLY9/Ik9p6B6pkgeim7xdop0eNgSInaif+lZqhWCg==',
  ],
  [
    'ASP.NET Identity v2, of its own tests',
    'my password',
    'AAABAgMEBQYHCAkKCwwNDg+ukCEMDf0yyQ29NYubggHIVY0sdEUfdyeM+E1LtH1uJg==',
  ],
  [
    'ASP.NET Core Identity v3 with SHA-1, of its own tests',
    'my password',
    'AQAAAAAAAAD6AAAAEAhftMyfTJylOlZT+eEotFXd1elee8ih5WsjXaR3PA9M',
  ],
  [
    'ASP.NET Core Identity v3 with SHA-256, of its own tests',
    'my password',
    'AQAAAAEAA9CQAAAAIESkQuj2Du8Y+kbc5lcN/W/3NiAZFEm11P27nrSN5/tId+bR1SwV8CO1Jd72r4C08OLvplNlCDc3oQZ8efcW+jQ=',
  ],
  [
    'ASP.NET Core Identity v3 with SHA-512, of its own tests',
    'my password',
    'AQAAAAIAAYagAAAAEAABAgMEBQYHCAkKCwwNDg/Q8A0WMKbtHQJQ2DHCdoEeeFBrgNlldq6vH4qX/CGqGQ==',
  ],
  ['ASP.NET Identity v2', sentence, 'AAABAgMEBQYHCAkKCwwNDg9onVeY1spGPG6rXS31TcVec1smao+pw++w5e7KVwY2aw=='],
  [
    'ASP.NET Core Identity v3 with SHA-256',
    sentence,
    'AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg/tbbtMyrOk7Lxr9aJEdaTJc3xAdqP8euzPXqPHlUtpiw==',
  ],
];
