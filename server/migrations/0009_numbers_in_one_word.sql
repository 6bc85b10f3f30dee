-- A number of tax or VAT is found as one word, without the signs that people put in between, and without the country before it.
update anagrafe.principals
   set search_terms = search_terms || array_to_tsvector(array(
         select distinct term
           from unnest(array[vatnumber, taxcode]) as number,
                lateral (select left(lower(regexp_replace(number, '[^[:alnum:]]+', '', 'g')), 64) as whole) as folded,
                lateral unnest(array[whole, case when whole ~ '^[a-z]{2}[0-9]' then substr(whole, 3) end]) as term
          where term <> '' and length(regexp_replace(whole, '[^0-9]+', '', 'g')) >= 5))
 where vatnumber is not null or taxcode is not null;
