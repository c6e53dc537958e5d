# fails: 3


who_copied = naming(lost("Shared_Dirty"), enough=lambda kb, least: kb > least)
